// A program that imports QuireWording has the words of Model's values, too.
@_exported import Wording
