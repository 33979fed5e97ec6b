// A fake server for tests of the demo: answers the requests of the demo, finds documents by simple
// comparison, and ends on request. `FAKE_FAULT` in the database folder's name makes it misbehave.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'

const option = (name) => process.argv[process.argv.indexOf(name) + 1]
const [host, port] = option('--http-addr').split(':')
const folder = option('--db-path')
const fault = /fault-([a-z]+)/.exec(folder)?.[1] ?? ''
if (fault === 'start') {
  console.error('The database is locked.')
  process.exit(3)
}
writeFileSync(join(folder, 'pid'), String(process.pid))
writeFileSync(join(folder, 'environment'), Object.keys(process.env).join('\n'))

const documents = new Map()
const texts = new Map()
const requests = []
const log = (line) => {
  requests.push(line)
  writeFileSync(join(folder, 'requests'), requests.join('\n'))
}
const tasks = []

function write(kind) {
  const taskUid = tasks.push({ kind, polls: 0 }) - 1
  return [202, { taskUid, status: 'enqueued' }]
}

function search({ q = '', filter, sort, facets = [], limit = 20 }) {
  const words = q.toLowerCase().match(/[\p{L}\d]+/gu) ?? []
  const hits = [...documents.values()].filter((document) => {
    const text = texts.get(document)
    return fault === 'empty'
      ? false
      : words.some((word) => text.includes(word.slice(0, 2))) || q === ''
  })
  const facetDistribution = Object.fromEntries(
    facets.map((facet) => {
      const counts = {}
      for (const hit of hits) {
        for (const value of [hit[facet]].flat()) counts[value] = (counts[value] ?? 0) + 1
      }
      return [facet, counts]
    }),
  )
  log(`search ${JSON.stringify({ q, filter, sort })}`)
  const found = { hits: hits.slice(0, limit), estimatedTotalHits: hits.length, processingTimeMs: 1 }
  return [200, facets.length === 0 ? found : { ...found, facetDistribution }]
}

function answer(method, path, body) {
  if (path === '/health') return [200, { status: 'available' }]
  if (path === '/stats') return [200, { databaseSize: 123_456 }]
  const task = /^\/tasks\/(\d+)$/.exec(path)
  if (task !== null) {
    const entry = tasks[Number(task[1])]
    const done = ++entry.polls > 1
    if (fault === 'task' && entry.kind === 'documents') {
      return [200, { uid: Number(task[1]), status: 'failed', error: { message: 'No id.' } }]
    }
    return [200, { uid: Number(task[1]), status: done ? 'succeeded' : 'processing', error: null }]
  }
  if (path.endsWith('/settings')) {
    log(`${method} ${path} ${body}`)
    return write('settings')
  }
  if (path.includes('/documents')) {
    log(`${method} ${path}`)
    const key = new URL(path, 'http://x').searchParams.get('primaryKey')
    for (const line of body.trim().split('\n')) {
      const document = JSON.parse(line)
      documents.set(document[key], document)
      texts.set(document, line.toLowerCase())
    }
    return write('documents')
  }
  if (path.endsWith('/search')) {
    if (fault === 'search') return [400, { message: 'Not like that.', code: 'bad_request' }]
    if (fault === 'crash') process.exit(9)
    return search(JSON.parse(body))
  }
  return [404, {}]
}

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const [status, value] = answer(request.method, request.url, body)
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(value))
})
process.on('SIGTERM', () => {
  writeFileSync(join(folder, 'stopped'), 'in order')
  process.exit(0)
})
server.listen(Number(port), host)
