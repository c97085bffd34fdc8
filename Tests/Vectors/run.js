// Runs the cases of a vector file with rules.js, and gives those that it does not pass, with what it gave.

const passes = {
  conditions: (rules, one) => one.hidden === undefined
    ? rules.holds(one.condition, id => one.answers[id])
    : [...new rules.Visibility(one).hidden(id => one.answers[id])].sort(),
  constraints: (rules, one) => one.pattern === undefined
    ? rules.violations(one.constraint, one.answer)
    : rules.compiled(one.pattern)?.matches(one.text) ?? null,
  dates: (rules, one) => {
    if (one.first !== undefined) return rules.order(one.first, one.second);
    if (one.stored !== undefined) return rules.localText(one.stored, () => one.offset);
    const read = { date: rules.readDate, time: rules.readTime, dateTime: rules.readDateTime }[one.kind];
    const { text = null, ambiguous = null } = read(one.written, one.offset);
    return [text, ambiguous];
  },
  locations: (rules, one) => rules.readLocation(one.text),
  points: (rules, one) => {
    const result = rules.points(one.question, one.key, one.answer);
    return result && [result.points, result.verdict, one.matched === undefined ? null : result.matched];
  },
  orders: (rules, one) => one.questionnaire ? rules.questionOrder(one.test, one.questionnaire)
    : one.question ? rules.optionOrder(one.test, one.question) : rules.permutation(one.test, one.count, one.purpose),
  instances: (rules, { questionnaire, record }) => {
    const named = { ...record, answers: record.answers.map(answer => ({ ...answer, questionId: rules.placeID(answer.questionId, answer.instance) })) };
    const made = rules.repeated(questionnaire, named), ids = list => list.map(({ id }) => rules.writtenID(id));
    const given = id => named.answers.find(({ questionId }) => questionId === id)?.answer;
    return [ids(made.questions), ids(made.sections), made.sections.map(({ title = null }) => title), [...new rules.Visibility(made).hidden(given)].map(rules.writtenID).sort()];
  },
};

const expected = {
  conditions: one => one.holds ?? [...one.hidden].sort(),
  constraints: one => one.pattern === undefined ? one.violations : one.matches,
  dates: one => one.stored !== undefined ? one.local : one.first === undefined ? [one.text ?? null, one.ambiguous ?? null] : one.order,
  locations: ({ isOutOfRange, latitude, longitude, accuracyMeters }) => isOutOfRange ? { isOutOfRange } : latitude === undefined ? {} : { location: { latitude, longitude, accuracyMeters } },
  points: one => one.points === null ? null : [one.points, one.verdict, one.matched ?? null],
  orders: one => one.order ?? one.places,
  instances: one => [one.ids, one.sections, one.titles, one.hidden],
};

export const run = (rules, name, cases) => cases.map(one => ({ ...one, given: passes[name](rules, one) }))
  .filter(one => JSON.stringify(one.given) !== JSON.stringify(expected[name](one)));
