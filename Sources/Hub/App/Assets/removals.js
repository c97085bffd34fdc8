// What becomes of questionnaires that are here and that the server's list no longer names: the rule of docs/protocol.md, section 3, as
// in Swift's RemovalDecision.
export const confirmation = 24 * 3600 * 1000, plausibleCount = 1, plausibleShare = 4;

// here: ids, each with the time (in ms) of the first list that lacked it, or null. listed: the ids of a complete list.
export function decide(here, listed, now) {
  const missing = [...here].filter(([id]) => !listed.has(id));
  const ids = entries => new Set(entries.map(([id]) => id));
  if (!listed.size) return { removed: new Set(), held: ids(missing) };
  const isConfirmed = ([, since]) => since != null && now - since >= confirmation;
  const confirmed = missing.filter(isConfirmed), recent = missing.length - confirmed.length;
  if (recent <= plausibleCount || recent * plausibleShare <= here.size - confirmed.length) return { removed: ids(missing), held: new Set() };
  return { removed: ids(confirmed), held: ids(missing.filter(entry => !isConfirmed(entry))) };
}
