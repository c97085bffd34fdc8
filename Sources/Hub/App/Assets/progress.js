// Which tests are open on this phone: said to the hub when that has changed, with a look that happens anyway, and never again by
// itself (docs/protocol.md, section 12). The rule is `ProgressDecision`'s.
import * as store from './store.js';

const pause = 86400e3, most = 2000, ids = ['id', 'name', 'group'];

/** What is said of a test; null for one that is no draft, or names no person. */
export function entry({ id, status, record }) {
  if (!store.isDraft({ status }) || !record.person) return null;
  const person = Object.fromEntries(ids.filter(name => record.person[name] != null).map(name => [name, record.person[name]]));
  return { test: id, questionnaire: { id: record.questionnaire.id, digest: record.questionnaire.digest }, person, state: 'started', since: record.dateStarted };
}

/** Whether a report is sent. last: {text, refusedAt}, of the report that was heard last. */
export function isNew(text, count, last, now) {
  if (last?.refusedAt !== undefined && now - last.refusedAt >= 0 && now - last.refusedAt < pause) return false;
  return last?.text === undefined ? count > 0 : last.text !== text;
}

/** What is noted after a reply; null where the next look says it. */
export function heard(reply, text, now) {
  if (!reply) return null;
  const { status, body, problem } = reply;
  if (status === 200) return Number.isInteger(body?.reported) ? { text } : null;
  if ([404, 405, 501].includes(status)) return { refusedAt: now };
  return status >= 400 && status < 500 && ![401, 429].includes(status) && String(problem?.type ?? '').startsWith('urn:quire:problem:') ? { text } : null;
}

export async function report(exchange) {
  const tests = (await store.tests()).map(entry).filter(Boolean)
    .sort((a, b) => b.since < a.since ? -1 : b.since > a.since ? 1 : a.test < b.test ? -1 : 1).slice(0, most);
  const text = JSON.stringify({ tests }), last = await store.fact('progress');
  if (!isNew(text, tests.length, last, Date.now())) return;
  const device = (await store.fact('device'))?.id;
  if (!device) return;
  const reply = await exchange('progress/' + encodeURIComponent(device), { method: 'PUT', body: text, headers: { 'Content-Type': 'application/json' } });
  const now = heard(reply, text, Date.now());
  if (now) await store.setFact('progress', now);
}
