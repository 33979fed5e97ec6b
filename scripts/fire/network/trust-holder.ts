// A hostile client with keys for one index. It pretends to be an instance of the network: with
// headers that only instances send, and on routes that only instances use. It may add documents to
// its index, and search it; no answer may contain anything else.
import { type Answer, pause } from '../parts/client.ts'
import { MINE, MINE_IDS, type TrustSession } from './trust-session.ts'

const CLIENTS = 2
const PAUSE_MS = 40

type Values = (session: TrustSession) => readonly string[]

const UUIDS: Values = () => [
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
  '00000000-0000-0000-0000-000000000000',
  '0190b0a0-0000-7000-8000-000000000000',
  'x',
]
const NAMES: Values = () => ['a', 'b', 'c', 'd', '', '%ff', '*', 'mine']
const COUNTS: Values = ({ chance }) => {
  const small = chance.below(400)
  return [String(small), String(2 ** 32 - 1 - small), '0', '-1', '1e3', '']
}
const FLAGS: Values = () => ['true', 'false', '1', '']
const LISTS: Values = () => '["a"] ["b","c"] %5B%22a%22%5D [] { a,b {"b":["s0"]}'.split(' ')
const KEYS: Values = ({ hostileKeys }) => [...hostileKeys, 'a-master-key', '', '*', 'x'.repeat(300)]
const SENDERS: Values = (session) =>
  UUIDS(session).flatMap((id) => [`${id};0`, `${id};1`, `${id};999999999`, id])

/** Headers that instances send, and values that a client might try. */
const TASK_HEADERS: readonly (readonly [name: string, values: Values])[] = [
  ['origin-remote', NAMES],
  ['origin-taskuid', COUNTS],
  ['origin-network-version', UUIDS],
  ['import-remote', NAMES],
  ['import-index', () => [MINE, 'films', 'payroll', '*', '']],
  ['import-docs', COUNTS],
  ['import-index-count', COUNTS],
  ['import-task-key', COUNTS],
  ['import-total-index-docs', COUNTS],
]
const HEADERS: typeof TASK_HEADERS = [
  ...TASK_HEADERS.flatMap(([name, values]) => [
    [`x-svc-proxy-${name}`, values] as const,
    [`svc-proxy-${name}`, values] as const,
  ]),
  ['svc-proxy-repeated', FLAGS],
  ['svc-proxy-absent', LISTS],
  ['svc-proxy-renewed', LISTS],
  ['svc-proxy-renewed-shards', LISTS],
  ['svc-proxy-lacking', FLAGS],
  ['svc-proxy-search', FLAGS],
  ['svc-proxy-protocol', () => ['5', '4', '']],
  ['svc-proxy-sender', SENDERS],
  ['svc-proxy-member-key', KEYS],
]
/** Headers of tasks must come together; this is what the leader sends with a task or documents. */
const ORIGIN = HEADERS.filter(([name]) => name.startsWith('x-svc-proxy-origin-'))
/** Headers that come with searches of instances; a client that sends them gains no rights. */
const SEARCH = HEADERS.filter(([name]) => /-(?:search|sender|member-key)$/.test(name))
const IMPORT = HEADERS.filter(([name]) => /^x-svc-proxy-(?:origin|import)-/.test(name))

type Attempt = {
  readonly method: string
  readonly path: string
  readonly body: object | undefined
  /** Whether the keys permit the request, if no header of instances comes with it. */
  readonly isPermitted: boolean
}
const at = (method: string, path: string, body?: object, isPermitted = false): Attempt => ({
  method,
  path,
  body,
  isPermitted,
})
type Draw = <T>(values: readonly T[]) => T

const INDEXES = [MINE, 'films', 'payroll', '*', 'x']
const UIDS: readonly number[] = [0, 1, 2, 1000, 4_000_000_000]
const MESSAGES = (
  'exportNoIndex importFinished statusChange changeCanceled renew definitionsSent behind ' +
  'tasksHeld tasksCanceled tasksReleased network'
).split(' ')

const queryOn = (draw: Draw, indexUid: string): { readonly indexUid: string } => ({
  indexUid,
  ...draw([
    {},
    { q: 'stone' },
    { filter: '_foreign(boss, version > 0)' },
    { filter: '_shard = s0' },
    { sort: ['salary:desc'], showRankingScoreDetails: true },
    { attributesToRetrieve: ['*', 'salary', 'badge', 'secret'] },
    { attributesToHighlight: ['*'], attributesToCrop: ['*'], showMatchesPosition: true },
    { facets: ['*'] },
    { distinct: 'salary' },
    { hybrid: { embedder: 'e' }, vector: [1, 0], retrieveVectors: true },
    { useNetwork: false },
  ]),
})

/** Requests that instances send to each other. */
const MEMBERS: readonly ((draw: Draw) => Attempt)[] = [
  (draw) => at('GET', draw(['/network', '/network/identity', '/network/status'])),
  () => at('GET', '/network/replicas'),
  (draw) => at('GET', `/network/digests${draw(['', '?documents=false'])}`),
  (draw) => at('POST', '/network/repair', draw([{}, { instances: ['b'] }])),
  (draw) => at('POST', '/network/plan', draw([{}, { leader: 'b' }])),
  (draw) => {
    const changes: readonly object[] = [
      {},
      { leader: draw(['a', 'b', 'c', null]) },
      { remotes: { [draw(['a', 'b', 'x'])]: null } },
      { remotes: { x: { url: 'http://127.0.0.1:1' } }, shards: { s0: { remotes: ['x'] } } },
      { self: 'b', leader: 'b', previousRemotes: {}, previousShards: {} },
    ]
    return at('PATCH', '/network', draw(changes))
  },
  (draw) => {
    const search = {
      queries: [queryOn(draw, draw(INDEXES))],
      federation: draw([{}, { limit: 100 }, null]),
      shards: draw([[], ['s0'], ['s0', 's1', 's2', 's3'], null]),
      isForModel: draw([true, false]),
    }
    return at('POST', '/network/search', { searches: [search] })
  },
  (draw) => {
    const bodies: readonly object[] = [
      { indexUid: draw(INDEXES), ids: ['0', '1', '2'] },
      { indexUid: draw(INDEXES), condition: 'version > 0', shards: ['s0'] },
      { indexUid: MINE, ids: ['0'], within: [{ indexUid: 'payroll' }] },
    ]
    return at('POST', '/network/foreign', draw(bodies))
  },
  (draw) => {
    const [indexUid, id, embedder] = [draw(INDEXES), draw([0, '1']), draw(['e', 'default'])]
    return at('POST', '/network/similar', { indexUid, id, embedder })
  },
  (draw) => {
    const [remoteName, taskUid] = [draw(['a', 'b', 'c']), draw(UIDS)]
    const networkVersion = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
    const message = {
      type: `${draw(MESSAGES)}ForRemote`,
      remote: draw(['a', 'b', 'c']),
      successful: draw([true, false]),
      routed: true,
      status: draw(['available', 'unavailable']),
      documents: draw([true, false]),
      tasks: [draw(UIDS), draw(UIDS)],
      network: draw(['', '{}', '{"self":"b","leader":"b"}']),
    }
    const origin = { remoteName, taskUid, networkVersion }
    return at('POST', '/network/control', { origin, message })
  },
]

/** Requests of clients. */
const CLIENT: readonly ((draw: Draw) => Attempt)[] = [
  (draw) => {
    const [id, title] = [draw(MINE_IDS), `hostile ${draw(MINE_IDS)}`]
    const body = [{ id, title, boss: draw(MINE_IDS) }]
    return at(draw(['POST', 'PUT']), `/indexes/${MINE}/documents`, body, true)
  },
  (draw) => {
    const body = [{ id: draw(MINE_IDS), version: 1_000_000, text: 'hostile' }]
    return at(draw(['POST', 'PUT']), `/indexes/${draw(['films', 'payroll'])}/documents`, body)
  },
  (draw) => {
    const uid = draw(['films', 'payroll', MINE])
    const path = `/indexes/${uid}/${draw(['documents/delete-batch', 'documents/delete'])}`
    return at('POST', path, draw<object>([[0, 1, 2], { filter: 'version > 0' }]))
  },
  (draw) => at('DELETE', `/indexes/${draw(['films', MINE])}${draw(['', '/documents'])}`),
  (draw) => {
    const body = { displayedAttributes: ['*'], filterableAttributes: ['*'] }
    return at('PATCH', `/indexes/${draw(['films', MINE])}/settings`, body)
  },
  (draw) => {
    const path = draw(['/swap-indexes', '/snapshots', '/dumps', '/tasks/cancel?uids=*', '/export'])
    return at('POST', path, [{ indexes: [MINE, 'payroll'] }])
  },
  (draw) => {
    const { indexUid: _, ...body } = queryOn(draw, MINE)
    return at('POST', `/indexes/${draw([MINE, MINE, ...INDEXES])}/search`, body, true)
  },
  (draw) => {
    const uid = draw([MINE, ...INDEXES])
    const path = `/indexes/${uid}/${draw(['documents/fetch', 'facet-search'])}`
    const facet = { facetName: draw(['boss', 'salary']) }
    return at('POST', path, draw<object>([facet, { filter: 'boss > 0' }, { limit: 30 }]), true)
  },
  (draw) => {
    const federations = [{}, { facetsByIndex: { [MINE]: ['boss'] } }]
    const federation = draw([undefined, ...federations])
    const queries = [queryOn(draw, draw([MINE, MINE, ...INDEXES])), queryOn(draw, MINE)]
    return at('POST', '/multi-search', { federation, queries }, true)
  },
  (draw) => {
    const documents = `/indexes/${draw(INDEXES)}/documents?limit=100`
    const own = [`/indexes/${MINE}/documents/1`, documents, '/indexes/payroll/documents/1']
    const others = ['/keys', '/tasks', '/stats', '/metrics', '/version', '/logs']
    return at('GET', draw([...own, ...others]), undefined, true)
  },
]

/** Sends requests to all members until `isEnding`. */
export async function hostileClients(session: TrustSession): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!session.isEnding) {
      await attempt(session)
      await pause(session.chance.below(PAUSE_MS))
    }
  })
  await Promise.all(clients)
}

async function attempt(session: TrustSession): Promise<void> {
  const { chance, hostileKeys, up } = session
  const draw: Draw = (values) => values[chance.below(values.length)]!
  if (up.length === 0) return
  const name = draw(up)
  const instance = session.instance(name)
  const { epoch } = instance
  const key = draw(hostileKeys)
  const forged = draw([
    [],
    SEARCH,
    SEARCH,
    ORIGIN,
    IMPORT,
    HEADERS.filter(() => chance.below(6) === 0),
  ])
  const headers = Object.fromEntries(
    forged.map(([header, values]) => [header, draw(values(session))]),
  )
  const request = draw(draw([MEMBERS, CLIENT, CLIENT]))(draw)
  const options = request.body === undefined ? {} : { body: request.body }
  const sent = { ...options, headers: { authorization: `Bearer ${key}`, ...headers } }
  let answer: Answer
  try {
    answer = await instance.ask(request.method, request.path, sent)
  } catch (error) {
    if (instance.epoch === epoch) session.problem(`a hostile request ended ${name}: ${error}`)
    return
  }
  session.count('hostile requests')
  const shown = `hostile ${request.method} ${request.path} on ${name}, ${JSON.stringify(sent)}`
  judge(session, { answer, key, shown, isPermitted: request.isPermitted, headers })
}

type Judged = {
  readonly answer: Answer
  readonly key: string
  readonly shown: string
  readonly isPermitted: boolean
  readonly headers: object
}

const ONLY_MEMBERS = /-(?:origin|import)-|-(?:repeated|absent|renewed|renewed-shards)$/

function judge(session: TrustSession, { answer, key, shown, isPermitted, headers }: Judged): void {
  const { status, text } = answer
  const told = session.secretsFor(key).filter((secret) => text.includes(secret))
  if (told.length > 0) session.problem(`${shown}\n    tells ${told}: ${text.slice(0, 1000)}`)
  if (status >= 500 && status !== 503) session.problem(`${shown}: ${status} ${text.slice(0, 300)}`)
  if (status >= 300) return
  session.count('hostile requests within the rights of the key')
  const isForged = Object.keys(headers).some((name) => ONLY_MEMBERS.test(name))
  if (!isPermitted || isForged) session.problem(`${shown}: ${status} ${text.slice(0, 300)}`)
}
