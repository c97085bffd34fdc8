// How long a person works on a test, and which times of the server bound it: as Swift's TestTiming and ActiveTimeMeter
// (Tests/Vectors/timing.json).

// A longer pause counts as this many seconds.
export const longestPause = 600;

// Counts the time between the moments at which something happens; each is in milliseconds of a monotonic clock.
export function meter(start) {
  let last = start, seconds = 0;
  return {
    note(moment) { seconds += Math.min(Math.max(moment - last, 0) / 1000, longestPause); last = moment; },
    // The time until this moment does not count.
    skip(moment) { last = moment; },
    take() { const taken = seconds; seconds = 0; return taken; },
    putBack(taken) { seconds += taken; },
  };
}

// A hub's own replies have the hub's Date, not the server's.
const isHubsOwn = status => (status ?? '').split(',').some(member => member.trimStart().startsWith('quire-hub; detail='));

// The server's time at the moment `now`, by a reply's fields; null where it states none. In milliseconds, as all below.
export function serverTime(field, now) {
  const date = Date.parse(field('Date') ?? ''), age = Number(field('Age') ?? 0);
  if (Number.isNaN(date) || isHubsOwn(field('Cache-Status'))) return null;
  return { time: date + Math.min(Math.max(age || 0, 0), 1e9) * 1000, moment: now };
}

// The last time that this tab heard from the server.
let heard = null;
export function hear(field) { heard = serverTime(field, Date.now()) ?? heard; }

// A program needs some seconds to save and to hand in: as Swift's TimeLimitEnd.
const grace = 30;

// The end of a test that is handed in by itself: what was answered up to the end, and up to a few seconds after it, is in time. `active` are
// the seconds since the last answer, which make no test late.
export function ended(timing, limit, start, active = 0) {
  const most = limit + grace, dateFinished = new Date(Date.parse(start) + limit * 1000).toISOString();
  const cut = { ...timing }, from = Date.parse(cut.startedBefore), between = (Date.parse(cut.finishedAfter) - from) / 1000;
  if (cut.activeSeconds > limit && cut.activeSeconds <= most) cut.activeSeconds = limit;
  if (between > limit && between <= most) cut.finishedAfter = new Date(from + limit * 1000).toISOString();
  const all = noted(cut, Math.min(active, limit - (cut.activeSeconds ?? 0)), start, null);
  return all ? { dateFinished, timing: all } : { dateFinished };
}

// The timing of a test after `active` seconds more, and after what was heard; undefined where nothing is known.
export function noted(timing, active, start, last = heard) {
  const after = { ...timing };
  if (active >= 0.001) after.activeSeconds = Math.round(((after.activeSeconds ?? 0) + active) * 1000) / 1000;
  if (last && last.moment >= Date.parse(start)) {
    const time = new Date(last.time).toISOString();
    after.startedBefore ??= time;
    if (!(Date.parse(after.finishedAfter) > last.time)) after.finishedAfter = time;
  }
  return Object.keys(after).length ? after : undefined;
}
