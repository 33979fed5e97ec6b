// The views of an open database: publishes committed states to searches, and removes files that
// only retired views used.

import { asSegmentNo } from '../../format/ids.ts'
import type { Searching } from '../read/pool/index.ts'
import { activeRules, ruleRecords } from '../read/search-rules/index.ts'
import { type Manifest, segmentPath } from '../store/catalog/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import { type Retired, Views } from '../store/views/index.ts'
import type { Indexing } from '../write/indexer/index.ts'

export type LiveParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly searching: Searching
  readonly indexing: Pick<Indexing, 'forget'>
  readonly options: { readonly report: (message: string, error: unknown) => void }
}

export class LiveViews {
  readonly views: Views
  readonly #parts: LiveParts
  #publishedRules: unknown = null
  /** Resolves when all removals so far have ended. */
  #removing: Promise<void> = Promise.resolve()

  constructor(parts: LiveParts) {
    this.#parts = parts
    this.views = new Views(
      (retired) => this.#retire(retired),
      (view) => parts.searching.announce(view),
    )
  }

  /**
   * Makes committed changes visible to searches; sends rules to search threads if they have
   * changed.
   */
  publish(): void {
    const { manifest, searching } = this.#parts
    this.views.publish(manifest.state)
    const records = ruleRecords(manifest.state)
    if (records === this.#publishedRules) return
    this.#publishedRules = records
    searching.setRules(activeRules(manifest.state))
  }

  /** Returns whether a view that is being read names the file. */
  isInUse(name: string): boolean {
    return this.views.names(asSegmentNo(Number.parseInt(name, 10)))
  }

  /** Resolves when unused files have been removed. */
  cleaned(): Promise<void> {
    return this.#removing
  }

  /**
   * Handles a retired view: threads close the segments that no other view uses, and their files are
   * removed.
   */
  #retire({ index, sequence, segments }: Retired): void {
    const { searching, indexing } = this.#parts
    const numbers = segments.map(({ segment }) => segment)
    searching.forget([{ index, sequence }], numbers)
    indexing.forget(numbers)
    for (const { segment, layer, location } of segments) {
      if (location.kind === 'file') this.#remove(segmentPath(segment, layer))
    }
  }

  #remove(path: string): void {
    const { fs, options } = this.#parts
    this.#removing = this.#removing
      .then(() => fs.removeAsync(path))
      .catch((error: unknown) => {
        options.report(`The file ${path} is no longer used and could not be removed.`, error)
      })
  }
}
