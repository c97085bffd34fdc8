import HTTPServing

/// The fields of a query or a form, as the desk reads them too.
typealias FormFields = HTTPServing.FormFields

/// The fields of one question, as the desk's trial of a questionnaire has them too.
typealias AnswerFields = HTTPServing.AnswerFields
