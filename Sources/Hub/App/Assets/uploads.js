// The way of a file to the hub: begun once, gone on with where it broke off (docs/protocol.md, section 10).
import * as store from './store.js';
import { within } from './library.js';

// So much goes in one request: what a bad network brings within a minute.
const pieceBytes = 256 << 10;

export const digestField = hex => `sha-256=:${btoa(String.fromCharCode(...hex.match(/../g).map(pair => parseInt(pair, 16))))}:`;
const offsetOf = reply => /^\d+$/.test(reply.headers.get('Upload-Offset') ?? '') ? Number(reply.headers.get('Upload-Offset')) : null;
const isWhole = reply => reply.headers.get('Upload-Complete') === '?1';

// Brings a file; what comes back is the reply that decides about it, or null where the way broke off.
export async function hand(file, exchange) {
  const size = file.bytes.size, begun = `tests/${file.test}/media/${file.id}`;
  const goOn = async place => {
    const reply = await exchange(place, { method: 'HEAD' });
    if (!reply) return null;
    return { place, reply, offset: reply.status < 300 && !isWhole(reply) ? offsetOf(reply) : null };
  };
  const begin = async () => {
    const reply = await exchange(begun, {
      method: 'PUT', headers: { 'Upload-Complete': '?0', 'Upload-Length': String(size), 'Repr-Digest': digestField(file.frozen.digest) },
    });
    const place = reply?.status === 201 && !isWhole(reply) ? within(reply.headers.get('Location') ?? '', within(begun)) : null;
    if (!place) return { reply };
    // Kept before the first byte goes: after a closed browser it goes on there.
    await store.edit(file.id, now => { now.place = place.href; }, 'files');
    return { place: place.href, reply, offset: offsetOf(reply) };
  };

  // A place that is gone, or overtaken by another tab's, is asked for anew; not for ever.
  let upload = file.place ? await goOn(file.place) : await begin();
  for (let turns = 0; upload; turns++) {
    if (upload.offset === null) upload = await begin();
    if (upload.offset === undefined || upload.offset === null || turns > 3) return upload.reply;
    let reply;
    for (let offset = upload.offset; ;) {
      const end = Math.min(offset + pieceBytes, size);
      reply = await exchange(upload.place, {
        method: 'PATCH', body: file.bytes.slice(offset, end),
        headers: { 'Content-Type': 'application/partial-upload', 'Upload-Offset': String(offset), 'Upload-Complete': end === size ? '?1' : '?0' },
      });
      if (!reply) return null;
      if (end === size || reply.status >= 300) break;
      offset = end;
    }
    if (reply.status !== 409 && reply.status !== 404) return reply;
    upload = await goOn(upload.place);
  }
  return null;
}
