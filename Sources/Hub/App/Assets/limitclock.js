// The time of tests with a time limit, as Swift's TimeLimitClock: it goes on evenly while the app is open. A clock that is set ends no
// test and prolongs none. Before the app saw a draft for the first time, the clock counts, and at least the active time.

// The steady clock of some browsers stands still while the machine sleeps. A screen that is seen does not sleep, so where the two clocks
// part, the other one counts only for a time in which the app was not seen.
let time = Date.now(), steady = performance.now(), asleep = 0, wasHidden = document.hidden;
function even() {
  const gone = Date.now() - time - (performance.now() - steady);
  if (wasHidden && gone > 2000) asleep += gone;
  time = Date.now();
  steady = performance.now();
  wasHidden = document.hidden;
  return steady + asleep;
}
document.addEventListener('visibilitychange', even);

const seen = new Map();

// The seconds since a draft was started.
export function elapsed({ id, dateStarted, timing }) {
  const now = even();
  if (seen.get(id)?.dateStarted !== dateStarted) {
    const first = Math.max(0, (Date.now() - Date.parse(dateStarted)) / 1000, timing?.activeSeconds ?? 0);
    seen.set(id, { dateStarted, first, at: now });
  }
  const { first, at } = seen.get(id);
  return first + (now - at) / 1000;
}
