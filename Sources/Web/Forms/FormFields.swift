import HTTPServing

/// The fields of a query or a form, as the desk reads them too.
typealias FormFields = HTTPServing.FormFields
