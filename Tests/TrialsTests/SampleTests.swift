import Trials
