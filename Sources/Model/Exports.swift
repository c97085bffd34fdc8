// The languages are part of the public declarations of this module.
@_exported import Localization
