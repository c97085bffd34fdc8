// The start of a test: who takes it, whether it may begin now, and then the draft.
import * as store from './store.js';
import * as library from './library.js';
import * as people from './people.js';
import * as sections from './sections.js';
import { access, isRefused, nextAttempt } from './availability.js';

// Whether a test of a questionnaire may begin, by what this phone knows of who is there: {attempt, access}.
export async function standing(questionnaire, tests) {
  const { current } = await people.state(), { availability, id } = questionnaire ?? {};
  const own = tests.filter(({ record }) => current && record.questionnaire.id === id && record.person?.id === current.id);
  const attempt = nextAttempt(own.map(({ status, receipt }) => ({ status, attempt: receipt?.attempt })));
  return { attempt, access: access(availability, Date.now(), availability?.attempts > 0 ? attempt : 1) };
}

// Begins a test of what is here of a questionnaire. What comes back is where one goes: to the test, to the question who
// takes it, or to the questionnaire, which says why not.
export async function begin(id, isForAnyone = false) {
  const now = await people.state(), page = await store.page(id), questionnaire = page && await library.open(page.digest);
  if (now.list?.typedNames === false ? !people.isListed(now, now.current) : !isForAnyone && !now.current && (now.people.length || now.list)) return '#/person/' + encodeURIComponent(id);
  if (!questionnaire || isRefused((await standing(questionnaire, await store.tests())).access)) return '#/q/' + encodeURIComponent(id);
  const person = now.current && { person: { id: now.current.id, name: now.current.name, ...(now.current.group ? { group: now.current.group } : {}) } };
  return '#/t/' + await store.begin({ id, title: questionnaire.title, digest: page.digest }, record => sections.shown(questionnaire, record), person ?? {});
}
