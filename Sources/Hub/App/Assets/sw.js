// Keeps the app in the browser, all of its files in one version, and gives out the pictures that were kept for it.
// Before this text the hub puts `version` and `files`: each file's SHA-256.
'use strict';
const name = 'quire-app-' + version;

self.addEventListener('install', event => event.waitUntil((async () => {
  const replies = await Promise.all(Object.entries(files).map(async ([path, expected]) => {
    const reply = await fetch(path, { cache: 'no-cache', redirect: 'error' });
    const bytes = await reply.clone().arrayBuffer();
    const digest = Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), byte => byte.toString(16).padStart(2, '0')).join('');
    // Half of one version and half of another would not fit: the browser tries again later.
    if (!reply.ok || digest !== expected) throw new Error(`${path} is not of version ${version}`);
    return [path, reply];
  }));
  const cache = await caches.open(name);
  for (const [path, reply] of replies) await cache.put(path, reply);
  await self.skipWaiting();
})()));

self.addEventListener('activate', event => event.waitUntil((async () => {
  for (const other of await caches.keys()) if (other.startsWith('quire-app-') && other !== name) await caches.delete(other);
  await self.clients.claim();
})()));

self.addEventListener('fetch', event => {
  const { request } = event;
  // What is written goes to the hub alone, and so does what the app asks for its lists: it keeps them itself.
  if (request.method !== 'GET') return;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  const scope = new URL('./', location.href).pathname;
  if (url.pathname.startsWith(scope)) {
    const path = './' + url.pathname.slice(scope.length);
    if (path in files) event.respondWith(shell(path, request));
  } else if (['image', 'audio', 'video'].includes(request.destination)) event.respondWith(medium(request));
});

async function shell(path, request) {
  return await (await caches.open(name)).match(path) ?? fetch(request);
}

async function medium(request) {
  const stored = await (await caches.open('quire-media')).match(request.url, { ignoreVary: true });
  if (!stored) return fetch(request);
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('Range') ?? '');
  if (!range) return stored;
  const bytes = await stored.blob();
  const first = Number(range[1]), last = Math.min(range[2] ? Number(range[2]) : bytes.size - 1, bytes.size - 1);
  const headers = new Headers({ 'Content-Type': stored.headers.get('Content-Type') ?? '', 'Accept-Ranges': 'bytes' });
  if (first > last) {
    headers.set('Content-Range', `bytes */${bytes.size}`);
    return new Response(null, { status: 416, headers });
  }
  headers.set('Content-Range', `bytes ${first}-${last}/${bytes.size}`);
  return new Response(bytes.slice(first, last + 1), { status: 206, headers });
}
