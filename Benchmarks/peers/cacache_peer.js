// The same work through the cacache that comes with npm: node cacache_peer.js WORKLOAD CORPUS STATE [ID]
const fs = require('fs')
const path = require('path')
const zlib = require('zlib')
const { execFileSync } = require('child_process')

const modules = process.env.NPM_MODULES || path.join(execFileSync('npm', ['root', '-g']).toString().trim(), 'npm/node_modules')
const [workload, folder, state, more] = process.argv.slice(2)

function corpus () {
  const content = fs.readFileSync(path.join(folder, 'corpus.bin'))
  let offset = 0
  return fs.readFileSync(path.join(folder, 'corpus.tsv'), 'utf8').split('\n').filter(Boolean).map(line => {
    const [id, length, , expires, lastUsed, title] = line.split('\t')
    const bytes = content.subarray(offset, offset + Number(length))
    offset += Number(length)
    return { id, bytes, expires: Number(expires), lastUsed: Number(lastUsed), title }
  })
}

async function measured (operations, work) {
  const wall = process.hrtime.bigint()
  const cpu = process.cpuUsage()
  await work()
  const used = process.cpuUsage(cpu)
  console.log(JSON.stringify({
    wall: Number(process.hrtime.bigint() - wall) / 1e9, cpu: (used.user + used.system) / 1e6, operations
  }))
}

// Some at once, as npm does.
async function each (items, work) {
  let next = 0
  await Promise.all(Array.from({ length: 8 }, async () => { while (next < items.length) await work(items[next++]) }))
}

async function main () {
  if (workload === 'commit') {
    const write = require(path.join(modules, 'write-file-atomic'))
    const documents = corpus()
    fs.mkdirSync(state, { recursive: true })
    return measured(documents.length, async () => {
      for (const { id, bytes } of documents) {
        await write(path.join(state, id + '.test.json'), bytes)
        const handle = await fs.promises.open(state)
        await handle.sync()
        await handle.close()
      }
    })
  }
  const cacache = require(path.join(modules, 'cacache'))
  if (workload === 'get') return process.stdout.write(zlib.gunzipSync((await cacache.get(state, more)).data))
  if (workload === 'list') {
    for (const [id, { metadata, size }] of Object.entries(await cacache.ls(state))) {
      console.log([id, metadata.title, size, metadata.expires].join('\t'))
    }
    return
  }
  const documents = corpus()
  if (workload === 'fill') {
    return measured(documents.length, () => each(documents, async ({ id, bytes, expires, lastUsed, title }) => {
      const packed = zlib.gzipSync(bytes, { level: 6 })
      await cacache.put(state, id, packed, { algorithms: ['sha256'], metadata: { expires, lastUsed, title } })
    }))
  }
  if (workload === 'read') {
    return measured(documents.length, () => each(documents, async ({ id }) => {
      zlib.gunzipSync((await cacache.get(state, id)).data)
    }))
  }
  // It has no eviction of its own: what npm does is to remove the entries and then to collect the content.
  const half = workload === 'purge'
    ? documents.filter(({ expires }) => expires <= Date.now())
    : documents.sort((a, b) => a.lastUsed - b.lastUsed).slice(0, documents.length / 2)
  return measured(half.length, async () => {
    for (const { id } of half) await cacache.rm.entry(state, id, { removeFully: true })
    await cacache.verify(state)
  })
}

main().catch(error => { console.error(String(error)); process.exit(74) })
