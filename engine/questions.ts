// What is asked of indexes: each question leases the views it is about and goes to the search
// threads. Nothing here waits for a write.
import type {
  DocumentsRequest,
  FacetSearchRequest,
  Features,
  FederatedSearch,
  Federation,
  FieldsRequest,
  IndexSearch,
  JsonBytes,
  SearchContext,
  SearchRequest,
  SimilarRequest,
} from './api.ts'
import { indexOfUid, type Manifest } from './catalog/index.ts'
import { multiSearch } from './multi-search.ts'
import { indexNotFound, type JobRequest, type Searching } from './search/index.ts'
import type { Lease, Views } from './views.ts'

type Parts = {
  readonly manifest: Manifest
  readonly views: Views
  readonly searching: Searching
  readonly features: () => Features
}

export class Questions {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  search(uid: string, request: SearchRequest, context: SearchContext): Promise<JsonBytes> {
    const { features, requestUid, signal } = context
    const queryUid = context.queryUid === null ? null : context.queryUid()
    const sentAt = Date.now()
    const job = { kind: 'search', request, features, requestUid, queryUid, sentAt } as const
    return this.#ask(uid, job, signal)
  }

  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonBytes> {
    const { features, requestUid, queryUid, signal } = context
    return multiSearch(
      searches,
      (uids) => this.#leasesOf(uids),
      (part, leases, isAdmitted) => {
        const queryUids = queryUid === null ? null : part.searches.map(() => queryUid())
        const asked = { ...part, features, requestUid, queryUids, sentAt: Date.now() }
        const { searching } = this.#parts
        return searching.runOver(leases, { kind: 'searches', ...asked }, signal, isAdmitted)
      },
      () => this.#parts.searching.admit(signal),
    )
  }

  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes> {
    const { features, requestUid, queryUid, signal } = context
    const queryUids = queryUid === null ? null : searches.map(() => queryUid())
    const named = searches.map(({ indexUid }) => indexUid)
    const leases = this.#leasesOf([...named, ...Object.keys(federation.facetsByIndex)])
    const uids = { requestUid, queryUids }
    const asked = { searches, federation, features, ...uids, sentAt: Date.now() }
    return this.#parts.searching.runOver(leases, { kind: 'federated', ...asked }, signal)
  }

  facetSearch(
    uid: string,
    request: FacetSearchRequest,
    { features, signal }: SearchContext,
  ): Promise<JsonBytes> {
    const job = { kind: 'facet-search', request, features, sentAt: Date.now() } as const
    return this.#ask(uid, job, signal)
  }

  similar(
    uid: string,
    request: SimilarRequest,
    { features, signal }: SearchContext,
  ): Promise<JsonBytes> {
    return this.#ask(uid, { kind: 'similar', request, features, sentAt: Date.now() }, signal)
  }

  document(
    uid: string,
    id: string,
    fields: readonly string[] | null,
    retrieveVectors: boolean,
  ): Promise<JsonBytes> {
    return this.#ask(uid, { kind: 'document', id, fields, retrieveVectors }, null)
  }

  documents(uid: string, request: DocumentsRequest): Promise<JsonBytes> {
    const features = this.#parts.features()
    return this.#ask(uid, { kind: 'documents', request, features }, null)
  }

  fields(uid: string, request: FieldsRequest): Promise<JsonBytes> {
    return this.#ask(uid, { kind: 'fields', request }, null)
  }

  async #ask(uid: string, request: JobRequest, signal: AbortSignal | null): Promise<JsonBytes> {
    const lease = this.#lease(uid)
    if (lease === null) throw indexNotFound(uid)
    return this.#parts.searching.run(lease, request, signal)
  }

  /** Views of the indexes there are, of these names, each once. */
  #leasesOf(uids: readonly string[]): readonly Lease[] {
    return [...new Set(uids)].flatMap((uid) => this.#lease(uid) ?? [])
  }

  #lease(uid: string): Lease | null {
    const { manifest, views } = this.#parts
    const index = indexOfUid(manifest.state, uid)
    return index === undefined ? null : views.lease(index.index)
  }
}
