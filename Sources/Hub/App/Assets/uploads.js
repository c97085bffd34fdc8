// The way of a file to the hub: begun once, gone on with where it broke off (docs/protocol.md, section 10).
import * as store from './store.js';
import { within } from './library.js';

// So much goes in one request: what a bad network brings within a minute.
const pieceBytes = 256 << 10;
// So often in a row it is asked where to go on without a byte more being there.
const mostFruitless = 3;

// The file that is under way, for those who look at it.
export let underWay = null;

export const digestField = hex => `sha-256=:${btoa(String.fromCharCode(...hex.match(/../g).map(pair => parseInt(pair, 16))))}:`;
const isWhole = reply => reply.headers.get('Upload-Complete') === '?1';
const offsetOf = (reply, size) => {
  const text = reply.headers.get('Upload-Offset') ?? '';
  return /^\d+$/.test(text) && Number(text) <= size ? Number(text) : null;
};

// Brings a file. What comes back has one of: `reply`, which decides, or null where the way broke off (`isHeard`: whether
// anybody answered); `isPaused`, for something else is to go first; `isLost`, for its bytes are nowhere. `reached`: how many
// were ever there.
export async function hand(file, exchange, mayGoOn) {
  const stand = { isHeard: false, reached: file.reached ?? 0 };
  const ask = async (path, options) => {
    const reply = await exchange(path, options);
    if (reply) Object.assign(stand, { isHeard: true, reached: Math.max(stand.reached, offsetOf(reply, file.size) ?? 0) });
    return reply;
  };
  underWay = file.id;
  store.changed(file.test);
  try {
    return { ...await bring(file, ask, mayGoOn), ...stand };
  } finally {
    underWay = null;
  }
}

async function bring(file, ask, mayGoOn) {
  const bytes = await store.bytesOf(file.id), { size } = file, begun = `tests/${file.test}/media/${file.id}`;
  let place = file.place, fruitless = 0, furthest = -1;
  for (;;) {
    let reply = place ? await ask(place, { method: 'HEAD' }) : null, offset = null;
    if (place && !reply) return { reply };
    if (reply?.status < 300 && !isWhole(reply)) offset = offsetOf(reply, size);
    // The reply to HEAD has no content by which to know whose it is: that to the beginning has.
    else if (reply?.status >= 300 && (reply.status < 400 || reply.status >= 500 || [401, 407, 408, 425, 429].includes(reply.status))) return { reply };
    if (offset === null) {
      reply = await ask(begun, {
        method: 'PUT', headers: { 'Upload-Complete': '?0', 'Upload-Length': String(size), 'Repr-Digest': digestField(file.frozen.digest) },
      });
      if (reply?.status !== 201 || isWhole(reply)) return { reply };
      offset = offsetOf(reply, size);
      place = within(reply.headers.get('Location') ?? '', within(begun))?.href;
      if (!place || offset === null) return { reply };
      // Known before the first byte goes: after a closed browser it goes on there. Without room for it, it begins anew.
      await store.edit(file.id, now => { now.place = place; }, 'files').catch(() => false);
    }
    fruitless = offset > furthest ? 0 : fruitless + 1;
    if (fruitless > mostFruitless) return { reply: null };
    furthest = Math.max(furthest, offset);
    for (;;) {
      const end = Math.min(offset + pieceBytes, size);
      let piece;
      try { piece = await bytes.slice(offset, end).arrayBuffer(); } catch { return { isLost: true, reply: null }; }
      reply = await ask(place, {
        method: 'PATCH', body: piece,
        headers: { 'Content-Type': 'application/partial-upload', 'Upload-Offset': String(offset), 'Upload-Complete': end === size ? '?1' : '?0' },
      });
      if (!reply) return { reply };
      if (end === size || reply.status >= 300 || offsetOf(reply, size) !== end) break;
      offset = end;
      if (!await mayGoOn()) return { isPaused: true };
    }
    // A place that is gone, or was overtaken by another tab's, is asked for anew.
    const isAskedFor = [404, 409, 410].includes(reply.status) || reply.status < 300 && !isWhole(reply);
    if (!isAskedFor) return { reply };
  }
}
