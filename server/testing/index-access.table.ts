// Every place outside of the path where a request names an index, with the answer for a key for
// `a*` when it names an index of its own, and when it names another one. The tests play each row.
// The database has indexes `a1`, `a2` and `outside`, whose documents refer to the other two in
// `ref`; task 2 added the document of `outside`.

export type Sent = { readonly method: string; readonly path: string; readonly body?: unknown }

/**
 * `refused`: 403. `missing`: the answer says that the thing does not exist. `nothing`: an answer
 * without any content of the index. `task`: a task that does nothing to the index.
 */
type OutsideAnswer = 'refused' | 'missing' | 'nothing' | 'task'

export type AccessRow = {
  /** As in the table of routes. */
  readonly route: string
  readonly what: string
  /** Returns the request that names an index. */
  readonly send: (uid: string) => Sent
  /** The status when the key covers the index. */
  readonly own: number
  readonly outside: OutsideAnswer
  /** True if a tenant token may send the request. */
  readonly tenants?: true
}

const TASK_OF: { readonly [uid: string]: number } = { a2: 1, outside: 2 }

const foreign = (uid: string): string => `_foreign(to_${uid}, title = secret)`

export const ACCESS_ROWS: readonly AccessRow[] = [
  {
    route: 'POST /indexes',
    what: 'creates',
    send: (uid) => ({ method: 'POST', path: '/indexes', body: { uid } }),
    own: 202,
    outside: 'refused',
  },
  {
    route: 'PATCH /indexes/:indexUid',
    what: 'renames',
    send: (uid) => ({ method: 'PATCH', path: '/indexes/a1', body: { uid } }),
    own: 202,
    outside: 'refused',
  },
  {
    route: 'POST /swap-indexes',
    what: 'swaps',
    send: (uid) => ({
      method: 'POST',
      path: '/swap-indexes',
      body: [{ indexes: ['a7', uid] }],
    }),
    own: 202,
    outside: 'refused',
  },
  {
    route: 'POST /swap-indexes',
    what: 'renames by swapping',
    send: (uid) => ({
      method: 'POST',
      path: '/swap-indexes',
      body: [{ indexes: [uid, 'a1'], rename: true }],
    }),
    own: 202,
    outside: 'refused',
  },
  {
    route: 'POST /network/search',
    what: 'searches, for another instance',
    send: (uid) => ({
      method: 'POST',
      path: '/network/search',
      body: { searches: [{ queries: [{ indexUid: 'a1' }, { indexUid: uid }], federation: {} }] },
    }),
    own: 200,
    // Each search of the list has its own status.
    outside: 'nothing',
    tenants: true,
  },
  {
    route: 'POST /network/foreign',
    what: 'reads documents, for another instance',
    send: (uid) => ({
      method: 'POST',
      path: '/network/foreign',
      body: { indexUid: uid, ids: ['1'] },
    }),
    own: 403,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'GET /network/contains',
    what: 'reads which tasks searches show, for another instance',
    send: (uid) => ({ method: 'GET', path: `/network/contains?indexUids=${uid}` }),
    own: 403,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'POST /network/similar',
    what: 'finds similar documents, for another instance',
    send: (uid) => ({
      method: 'POST',
      path: '/network/similar',
      body: { indexUid: uid, id: 1, embedder: 'e' },
    }),
    // Keys of some indexes are not those of members.
    own: 403,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'POST /multi-search',
    what: 'searches',
    send: (uid) => ({
      method: 'POST',
      path: '/multi-search',
      body: { queries: [{ indexUid: 'a1' }, { indexUid: uid }] },
    }),
    own: 200,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'POST /multi-search',
    what: 'merges searches',
    send: (uid) => ({
      method: 'POST',
      path: '/multi-search',
      body: { federation: {}, queries: [{ indexUid: 'a1' }, { indexUid: uid }] },
    }),
    own: 200,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'POST /multi-search',
    what: 'asks for facets of an index',
    send: (uid) => ({
      method: 'POST',
      path: '/multi-search',
      body: {
        federation: { facetsByIndex: { [uid]: ['title'] } },
        queries: [{ indexUid: 'a1' }, { indexUid: 'a2' }],
      },
    }),
    own: 200,
    outside: 'refused',
    tenants: true,
  },
  {
    route: 'POST /multi-search',
    what: 'asks for another instance by name',
    send: (uid) => ({
      method: 'POST',
      path: '/multi-search',
      body: {
        federation: {},
        queries: [{ indexUid: uid, federationOptions: { remote: 'elsewhere' } }],
      },
    }),
    // No instance has that name.
    own: 400,
    outside: 'refused',
    tenants: true,
  },
  ...(['search', 'facet-search', 'suggest', 'documents/fetch'] as const).map(
    (last): AccessRow => ({
      route: `POST /indexes/:indexUid/${last}`,
      what: 'filters by documents of another index',
      send: (uid) => ({
        method: 'POST',
        path: `/indexes/a1/${last}`,
        body: {
          filter: foreign(uid),
          ...(last === 'facet-search' ? { facetName: 'title' } : {}),
        },
      }),
      own: 200,
      outside: 'missing',
      ...(last === 'documents/fetch' ? {} : { tenants: true }),
    }),
  ),
  ...(['search', 'suggest', 'documents'] as const).map(
    (last): AccessRow => ({
      route: `GET /indexes/:indexUid/${last}`,
      what: 'filters by documents of another index',
      send: (uid) => ({
        method: 'GET',
        path: `/indexes/a1/${last}?filter=${encodeURIComponent(foreign(uid))}`,
      }),
      own: 200,
      outside: 'missing',
      ...(last === 'documents' ? {} : { tenants: true }),
    }),
  ),
  {
    route: 'POST /multi-search',
    what: 'filters by documents of another index',
    send: (uid) => ({
      method: 'POST',
      path: '/multi-search',
      body: { queries: [{ indexUid: 'a1', filter: foreign(uid) }] },
    }),
    own: 200,
    outside: 'missing',
    tenants: true,
  },
  {
    route: 'POST /indexes/:indexUid/search',
    what: 'shows documents of another index',
    send: (uid) => ({
      method: 'POST',
      path: '/indexes/a1/search',
      body: { attributesToRetrieve: [`to_${uid}`] },
    }),
    own: 200,
    outside: 'nothing',
    tenants: true,
  },
  {
    route: 'GET /indexes/:indexUid/documents/:documentId',
    what: 'shows documents of another index',
    send: (uid) => ({ method: 'GET', path: `/indexes/a1/documents/1?fields=to_${uid}` }),
    own: 200,
    outside: 'nothing',
  },
  {
    route: 'PATCH /indexes/:indexUid/settings',
    what: 'makes foreign keys',
    send: (uid) => ({
      method: 'PATCH',
      path: '/indexes/a8/settings',
      body: { foreignKeys: [{ foreignIndexUid: uid, fieldName: 'ref' }] },
    }),
    own: 202,
    outside: 'task',
  },
  {
    route: 'POST /render-template',
    what: 'shows the template of an index',
    send: (uid) => ({
      method: 'POST',
      path: '/render-template',
      body: { template: { kind: 'chatDocumentTemplate', indexUid: uid } },
    }),
    own: 200,
    outside: 'refused',
  },
  {
    route: 'POST /render-template',
    what: 'shows the template of an embedder',
    send: (uid) => ({
      method: 'POST',
      path: '/render-template',
      body: { template: { kind: 'documentTemplate', indexUid: uid, embedder: 'e' } },
    }),
    own: 400,
    outside: 'refused',
  },
  {
    route: 'POST /render-template',
    what: 'shows the fragment of an embedder',
    send: (uid) => ({
      method: 'POST',
      path: '/render-template',
      body: {
        template: { kind: 'searchFragment', indexUid: uid, embedder: 'e', fragment: 'f' },
      },
    }),
    own: 400,
    outside: 'refused',
  },
  {
    route: 'POST /render-template',
    what: 'shows a document of an index',
    send: (uid) => ({
      method: 'POST',
      path: '/render-template',
      body: {
        template: { kind: 'inlineDocumentTemplate', inline: '{{doc.title}}' },
        input: { kind: 'indexDocument', indexUid: uid, id: '1' },
      },
    }),
    own: 200,
    outside: 'refused',
  },
  ...(['tasks', 'batches'] as const).flatMap((list): readonly AccessRow[] => [
    {
      route: `GET /${list}`,
      what: 'lists by index',
      send: (uid) => ({ method: 'GET', path: `/${list}?indexUids=${uid}` }),
      own: 200,
      outside: 'nothing',
    },
    {
      route: `GET /${list}`,
      what: 'lists by task',
      send: (uid) => ({ method: 'GET', path: `/${list}?uids=${TASK_OF[uid]}` }),
      own: 200,
      outside: 'nothing',
    },
  ]),
  {
    route: 'GET /tasks/:taskUid',
    what: 'shows a task',
    send: (uid) => ({ method: 'GET', path: `/tasks/${TASK_OF[uid]}` }),
    own: 200,
    outside: 'missing',
  },
  {
    route: 'GET /batches/:batchUid',
    what: 'shows a batch',
    send: (uid) => ({ method: 'GET', path: `/batches/${TASK_OF[uid]}` }),
    own: 200,
    outside: 'missing',
  },
  {
    route: 'GET /tasks/:taskUid/documents',
    what: 'shows the body of a task',
    send: (uid) => ({ method: 'GET', path: `/tasks/${TASK_OF[uid]}/documents` }),
    own: 404,
    outside: 'missing',
  },
  {
    route: 'POST /tasks/cancel',
    what: 'cancels by index',
    send: (uid) => ({ method: 'POST', path: `/tasks/cancel?indexUids=${uid}` }),
    own: 200,
    outside: 'task',
  },
  {
    route: 'DELETE /tasks',
    what: 'deletes by index',
    send: (uid) => ({ method: 'DELETE', path: `/tasks?indexUids=${uid}&statuses=canceled` }),
    own: 200,
    outside: 'task',
  },
  {
    route: 'DELETE /tasks',
    what: 'deletes by uid',
    send: (uid) => ({ method: 'DELETE', path: `/tasks?uids=${uid === 'outside' ? 2 : 999}` }),
    own: 200,
    outside: 'task',
  },
]

/** Routes that list all indexes, and must list only those that the key covers. */
export const LISTING_ROUTES: readonly string[] = [
  'GET /indexes',
  'GET /stats',
  'GET /stats/history',
]

/**
 * Routes of actions that a key for some indexes may hold and that name an index only in their path,
 * or not at all.
 */
export const ROUTES_WITHOUT_NAMES: readonly string[] = [
  'POST /chats/:workspace/chat/completions',
  // Tests beside them check the rights of their listeners.
  'GET /tasks/stream',
  'GET /batches/stream',
]
