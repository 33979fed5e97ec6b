// The views of an open database: searches see what was committed, and files that only a view of the
// past named go with it.
import { activeRules, ruleRecords } from '../read/rules/index.ts'
import type { Searching } from '../read/search/index.ts'
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
  /** Files on their way out. */
  #removing: Promise<void> = Promise.resolve()

  constructor(parts: LiveParts) {
    this.#parts = parts
    this.views = new Views(
      (retired) => this.#retire(retired),
      (view) => parts.searching.announce(view),
    )
  }

  /** Searches see what was committed; search threads are told of rules when these have changed. */
  publish(): void {
    const { manifest, searching } = this.#parts
    this.views.publish(manifest.state)
    const records = ruleRecords(manifest.state)
    if (records === this.#publishedRules) return
    this.#publishedRules = records
    searching.setRules(activeRules(manifest.state))
  }

  /** Whether a view that somebody reads names the file. */
  isInUse(name: string): boolean {
    return this.views.names(Number.parseInt(name, 10))
  }

  /** Resolves when files that are not used any more are gone. */
  cleaned(): Promise<void> {
    return this.#removing
  }

  /** A view is gone, and maybe segments with it: no thread opens them again, files are removed. */
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
        options.report(`The file ${path} is not used any more and could not be removed.`, error)
      })
  }
}
