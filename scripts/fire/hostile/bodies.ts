// Hostile bodies: broken, packed wrongly, far too large, cut off. Each has its expected result. For
// all of them: no part of a refused body is stored, memory stays bounded, and the server answers
// the next request.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Answer, endOfTask, untilHolds } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import { memoryOf } from '../parts/program.ts'

type Sizes = {
  /** Bytes of the long body of NDJSON. */
  readonly ndjsonBytes: number
  /** Fields of one document. */
  readonly fields: number
  /** Unpacked bytes of the packed bodies; larger than the server's limit. */
  readonly bombBytes: number
  /** Number of opening brackets. */
  readonly depth: number
}

/** The expected result of a body. */
type Wanted =
  /** Refused with this status and code; nothing is stored. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** The connection is closed, with an HTTP-level answer or without one; nothing is stored. */
  | { readonly kind: 'cut' }
  /** Accepted, and the task ends with this status. */
  | { readonly kind: 'taken'; readonly status: string; readonly code?: string }
  /** Answered immediately. */
  | { readonly kind: 'answered' }
  /** Refused as malformed, or accepted. */
  | { readonly kind: 'refused or failed' }

type HostileBody = {
  readonly name: string
  readonly wanted: Wanted
  /** null means that no answer arrived. `path`: of documents of a separate index. */
  readonly send: (instance: Instance, path: string) => Promise<Answer | null>
}

type Attack = {
  /** Name → the expectation that failed, or empty. */
  readonly problems: ReadonlyMap<string, string>
  /** Memory of the server before, and at its highest; 0 if the system does not report it. */
  readonly bytesBefore: number
  readonly bytesPeak: number
}

const SETTLE_MS_MAX = 5000

/** Sends all bodies to a separate server, and checks its state after each of them. */
export async function attackWithBodies(sizes: Sizes, limitBytes: number): Promise<Attack> {
  const root = newFolder()
  const words = ['--http-payload-size-limit', `${limitBytes} B`]
  const instance = new Instance({ name: 'attacked', root, words })
  try {
    await instance.start()
    const added = await instance.expect(202, 'POST', '/indexes/kept/documents', [{ id: 'sound' }])
    await endOfTask(instance, added.json.taskUid)
    const bytesBefore = memoryOf(instance.pid)?.now ?? 0
    const problems = new Map<string, string>()
    for (const [number, body] of hostileBodies(sizes).entries()) {
      // A separate index for each body: a body does not affect the result of the next one.
      problems.set(
        body.name,
        await inflict(body, instance, `/indexes/attacked-${number}/documents`),
      )
    }
    return { problems, bytesBefore, bytesPeak: memoryOf(instance.pid)?.peak ?? 0 }
  } finally {
    await instance.kill()
    rmSync(root, { recursive: true })
  }
}

async function inflict(body: HostileBody, instance: Instance, path: string): Promise<string> {
  const folder = join(instance.db, 'tasks/bodies')
  try {
    const before = await tasksOf(instance)
    await judge(body.wanted, await body.send(instance, path), instance, before)
    // Refused bodies are removed soon, those of tasks with the task.
    await untilHolds('no body is left', SETTLE_MS_MAX, async () => readdirSync(folder).length === 0)
    await instance.expect(200, 'GET', '/health')
    const found = await instance.ask('POST', '/indexes/kept/search', { body: { q: 'sound' } })
    assert.deepEqual(found.json.hits, [{ id: 'sound' }])
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function judge(
  wanted: Wanted,
  answer: Answer | null,
  instance: Instance,
  before: number,
): Promise<void> {
  const text = answer?.text.slice(0, 300)
  if (answer?.status === 202) {
    assert.ok(wanted.kind === 'taken' || wanted.kind === 'refused or failed', 'it was taken')
    const task = await endOfTask(instance, answer.json.taskUid)
    // A body without an expected refusal may be stored.
    if (wanted.kind !== 'taken') return
    assert.equal(task.status, wanted.status, JSON.stringify(task.error).slice(0, 300))
    if (wanted.code !== undefined) assert.equal(task.error.code, wanted.code)
    return
  }
  const { kind } = wanted
  if (kind === 'taken') assert.fail(`it was refused: ${text}`)
  else if (kind === 'cut') assert.equal(answer, null)
  else if (kind === 'answered') assert.equal(answer?.status, 200, text)
  else {
    const { status, code } = kind === 'refused' ? wanted : MALFORMED
    assert.deepEqual([answer?.status, answer?.json?.code], [status, code], text)
  }
  assert.equal(await tasksOf(instance), before, 'nothing came of what was refused')
}

const tasksOf = async (instance: Instance): Promise<number> =>
  (await instance.ask('GET', '/tasks?limit=1')).json.total

const MALFORMED = { kind: 'refused', status: 400, code: 'malformed_payload' } as const
const NOT_UNPACKED: Wanted = { kind: 'refused', status: 400, code: 'bad_request' }
const TOO_LARGE: Wanted = { kind: 'refused', status: 413, code: 'payload_too_large' }
const TAKEN: Wanted = { kind: 'taken', status: 'succeeded' }
const EITHER: Wanted = { kind: 'refused or failed' }

const JSON_TYPE = 'application/json'
const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'

const hostileBodies = (sizes: Sizes): readonly HostileBody[] => [
  ...brokenBodies(),
  ...oddBodies(sizes),
  ...packedBodies(sizes),
  ...cutBodies(),
  ...heavyRequests(sizes),
  posted('a long body with one bad line', MALFORMED, NDJSON, () => longNdjson(sizes.ndjsonBytes)),
]

function posted(
  name: string,
  wanted: Wanted,
  type: string,
  body: () => string | Uint8Array,
  headers: { readonly [name: string]: string } = {},
): HostileBody {
  const send = (instance: Instance, path: string): Promise<Answer> =>
    instance.ask('POST', `${path}?primaryKey=id`, {
      body: body(),
      headers: { 'content-type': type, ...headers },
    })
  return { name, wanted, send }
}

function brokenBodies(): readonly HostileBody[] {
  const json = (name: string, text: string | Uint8Array): HostileBody =>
    posted(name, MALFORMED, JSON_TYPE, () => text)
  return [
    json('JSON cut in a member', '[{"id":1},{"id":'),
    json('JSON cut in a string', '[{"id":1,"t":"abc'),
    json('JSON cut in an escape', '[{"id":1,"t":"\\u00'),
    json('a scalar', '7'),
    json('documents that are none', '[1,2,3]'),
    json('bytes that are no UTF-8', Buffer.from('[{"id":1,"t":"\xff\xfe\xc0\x80"}]', 'latin1')),
    json('zeros', new Uint8Array(100_000)),
    posted('NDJSON with a broken line', MALFORMED, NDJSON, () => '{"id":1}\n{"id":2\n{"id":3}\n'),
    posted('NDJSON of arrays', MALFORMED, NDJSON, () => '[1]\n[2]\n'),
    posted('CSV with ragged rows', MALFORMED, CSV, () => 'id,a\n1,2,3\n'),
    posted('CSV that is no UTF-8', MALFORMED, CSV, () => Buffer.from('id,a\n1,\xff\n', 'latin1')),
  ]
}

function oddBodies({ fields, depth }: Sizes): readonly HostileBody[] {
  const nested = `{"id":1,"d":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const objects = `{"id":1,"d":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`
  const tooMany: Wanted = { kind: 'taken', status: 'failed', code: 'max_fields_limit_exceeded' }
  return [
    posted('deep arrays', MALFORMED, JSON_TYPE, () => nested),
    posted('deep objects', MALFORMED, JSON_TYPE, () => objects),
    posted('deep arrays in NDJSON', EITHER, NDJSON, () => nested),
    posted('a number beyond all bounds', EITHER, JSON_TYPE, () => '[{"id":1,"n":1e999}]'),
    posted('a number of many digits', EITHER, JSON_TYPE, () => `[{"id":1,"n":${'9'.repeat(1e5)}}]`),
    // Text behind an array is ignored, as clients expect; further documents would be lost.
    posted('more behind the end', TAKEN, JSON_TYPE, () => '[{"id":1}] x'),
    posted('two arrays', MALFORMED, JSON_TYPE, () => '[{"id":1}] [{"id":2}'),
    posted('a member twice', TAKEN, JSON_TYPE, () => '[{"id":"twice","a":1,"a":2}]'),
    posted('names of prototypes', TAKEN, JSON_TYPE, () => PROTOTYPES),
    posted('a lone surrogate', EITHER, JSON_TYPE, () => '[{"id":1,"t":"\\ud800"}]'),
    posted('an id of a megabyte', { kind: 'taken', status: 'failed' }, JSON_TYPE, () =>
      JSON.stringify([{ id: 'x'.repeat(1 << 20) }]),
    ),
    posted('tiny fields', tooMany, JSON_TYPE, () => tinyFields(fields)),
    posted('a string of megabytes', TAKEN, JSON_TYPE, () =>
      JSON.stringify([{ id: 'long', t: 'word '.repeat(600_000) }]),
    ),
    posted('a word of megabytes', TAKEN, JSON_TYPE, () =>
      JSON.stringify([{ id: 'long', t: 'x'.repeat(3_000_000) }]),
    ),
  ]
}

/** Stored unchanged, and without any effect. */
export const PROTOTYPES =
  '[{"id":"proto","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}},' +
  '"toString":1,"hasOwnProperty":2}]'

function packedBodies({ bombBytes }: Sizes): readonly HostileBody[] {
  const packed = (name: string, wanted: Wanted, encoding: string, body: () => Uint8Array) =>
    posted(name, wanted, JSON_TYPE, body, { 'content-encoding': encoding })
  const plain = Buffer.from('[{"id":1}]')
  const zeros = (): Uint8Array => Buffer.alloc(bombBytes)
  const blanks = (): Uint8Array => Buffer.alloc(bombBytes, 0x20)
  return [
    packed('plain bytes called gzip', NOT_UNPACKED, 'gzip', () => plain),
    packed('plain bytes called br', NOT_UNPACKED, 'br', () => plain),
    packed('plain bytes called deflate', NOT_UNPACKED, 'deflate', () => plain),
    packed('gzip that ends early', NOT_UNPACKED, 'gzip', () => gzipSync(plain).subarray(0, 20)),
    packed('gzip with a wrong checksum', NOT_UNPACKED, 'gzip', () => {
      const bytes = gzipSync(plain)
      bytes[bytes.length - 5]! ^= 1
      return bytes
    }),
    packed('gzip called br', NOT_UNPACKED, 'br', () => gzipSync(plain)),
    packed('a bomb of zeros, gzip', TOO_LARGE, 'gzip', () => gzipSync(zeros())),
    packed('a bomb of blanks, gzip', TOO_LARGE, 'gzip', () => gzipSync(blanks())),
    packed('a bomb of zeros, br', TOO_LARGE, 'br', () => brotliCompressSync(zeros(), QUICK)),
    {
      name: 'a bomb for a JSON route',
      wanted: TOO_LARGE,
      send: (instance) =>
        instance.ask('PATCH', '/indexes/kept/settings', {
          body: gzipSync(blanks()),
          headers: { 'content-encoding': 'gzip' },
        }),
    },
  ]
}

const QUICK = { params: { 1: 1 } }

function cutBodies(): readonly HostileBody[] {
  const head = (path: string, ...headers: string[]): string =>
    [`POST ${path} HTTP/1.1`, 'Host: here', `Content-Type: ${JSON_TYPE}`, ...headers, '', ''].join(
      '\r\n',
    )
  const body = JSON.stringify(Array.from({ length: 20_000 }, (_, id) => ({ id, t: 'half' })))
  const raw = (name: string, text: (path: string) => string, wanted: Wanted): HostileBody => ({
    name,
    wanted,
    send: async (instance, path) => sendRaw(await instance.program!.url, text(path)),
  })
  const cut: Wanted = { kind: 'cut' }
  const more = `Content-Length: ${body.length + 1000}`
  return [
    raw('fewer bytes than announced', (path) => head(path, more) + body, cut),
    raw('half a body, then silence', (path) => head(path, more) + body.slice(0, 300_000), cut),
    raw('a body longer than announced', (path) => `${head(path, 'Content-Length: 5')}${body}`, cut),
    raw('an invalid length', (path) => `${head(path, 'Content-Length: many')}${body}`, cut),
    raw('two lengths', (p) => `${head(p, 'Content-Length: 3', 'Content-Length: 4')}[1]`, cut),
    raw(
      'a chunk with a wrong size',
      (path) => `${head(path, 'Transfer-Encoding: chunked')}zz\r\n[{"id":1}]\r\n0\r\n\r\n`,
      cut,
    ),
    raw(
      'a chunk that never ends',
      (p) => `${head(p, 'Transfer-Encoding: chunked')}ffff\r\n[{`,
      cut,
    ),
  ]
}

const HANG_UP_MS = 300

/** Sends the text, hangs up after an answer or a pause; resolves when the connection is closed. */
function sendRaw(url: string, text: string): Promise<null> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    const hangUp = setTimeout(() => socket.destroy(), HANG_UP_MS)
    socket.on('data', () => undefined)
    // A reset is one form of refusal.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(hangUp)
      resolve(null)
    })
  })
}

/** The limits of other routes: bodies as deep, long and numerous as clients may send. */
function heavyRequests({ depth }: Sizes): readonly HostileBody[] {
  const request = (name: string, wanted: Wanted, path: string, body: () => string): HostileBody => {
    const method = path.endsWith('settings') ? 'PATCH' : 'POST'
    return { name, wanted, send: (instance) => instance.ask(method, path, { body: body() }) }
  }
  const search = (name: string, wanted: Wanted, body: () => object): HostileBody =>
    request(name, wanted, '/indexes/kept/search', () => JSON.stringify(body()))
  const many = Math.min(depth, 100_000)
  const tooDeep: Wanted = { kind: 'refused', status: 400, code: 'invalid_search_filter' }
  const answered: Wanted = { kind: 'answered' }
  const nested = (member: string) => `{"${member}":${'['.repeat(many)}${']'.repeat(many)}}`
  return [
    request('a filter of arrays', MALFORMED, '/indexes/kept/search', () => nested('filter')),
    request('settings of arrays', MALFORMED, '/indexes/kept/settings', () => nested('synonyms')),
    search('a filter of parentheses', tooDeep, () => ({
      filter: `${'('.repeat(many)}id = 1${')'.repeat(many)}`,
    })),
    search('a filter of negations', tooDeep, () => ({ filter: `${'NOT '.repeat(many)}id = 1` })),
    search('a query of many words', answered, () => ({ q: 'sound '.repeat(many) })),
    search('a query of one long word', answered, () => ({ q: 'x'.repeat(5 * many) })),
    search('a query of many phrases', answered, () => ({ q: '"sound sound" '.repeat(many / 10) })),
    // Half of the limit of lists in a search.
    search('many fields', answered, () => ({
      attributesToRetrieve: Array.from({ length: Math.min(many, 25_000) }, (_, i) => `f${i}`),
    })),
    search('pages beyond all bounds', answered, () => ({
      limit: Number.MAX_SAFE_INTEGER,
      offset: Number.MAX_SAFE_INTEGER,
    })),
  ]
}

function tinyFields(count: number): string {
  const members = Array.from({ length: count }, (_, n) => `"f${n.toString(36)}":1`)
  return `[{"id":1,${members.join(',')}}]`
}

/** Valid lines, with one invalid line near the end. */
function longNdjson(bytes: number): string {
  const lines: string[] = []
  let length = 0
  let isBroken = false
  for (let id = 0; length < bytes; id++) {
    const isBad: boolean = !isBroken && length > bytes * 0.9
    const line = `{"id":${id},"title":"title ${id % 977} of many","n":${isBad ? '' : id}}\n`
    isBroken ||= isBad
    lines.push(line)
    length += line.length
  }
  return lines.join('')
}
