// When a questionnaire may be taken and how often: as Swift's Availability, and the count of attempts in QuireStore (Tests/Vectors/availability.json).

const isTime = value => typeof value === 'string' && !Number.isNaN(Date.parse(value));

// Reads the member of a questionnaire; undefined for none. `fault` makes the error for a member that is none.
export function read(json, fault) {
  if (json === undefined || json === null) return undefined;
  const time = name => { if (json[name] == null) return undefined; if (!isTime(json[name])) throw fault('availability.' + name); return Date.parse(json[name]); };
  return { opensAt: time('opensAt'), closesAt: time('closesAt'), attempts: Number.isInteger(json.attempts) ? json.attempts : undefined, late: ['mark', 'refuse'].includes(json.late) ? json.late : 'accept' };
}

// Whether a test may begin now: {kind, at} or {kind, of}. `attempt` is the number of the test that would begin, from 1.
export function access(availability, now, attempt) {
  if (!availability) return { kind: 'open' };
  const { opensAt, closesAt, attempts, late } = availability;
  if (attempts > 0 && attempt > attempts) return { kind: 'noAttemptLeft', of: attempts };
  if (now < opensAt) return { kind: 'opens', at: opensAt };
  if (!(now > closesAt)) return { kind: 'open' };
  return { kind: late === 'refuse' ? 'closed' : 'late', at: closesAt };
}
export const isRefused = ({ kind }) => !['open', 'late'].includes(kind);

// The number of the next test, after those of one person and questionnaire: {status, attempt} each.
export function nextAttempt(tests) {
  const counted = tests.filter(({ status }) => !['empty', 'in-progress', 'rejected', 'conflict'].includes(status));
  return Math.max(counted.length, ...counted.map(({ attempt }) => attempt ?? 0)) + 1;
}

// The moment at which the access changes next by itself; undefined for none.
export const nextChange = (availability, now) => [availability?.opensAt, availability?.closesAt].filter(time => time >= now).sort((a, b) => a - b)[0];
