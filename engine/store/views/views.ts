// Views of indexes and who reads them. The newest view of an index is kept by the registry itself;
// a search or a job leases it and gives it back. A segment that no view names any more is free: its
// file can go.
//
//   commit → publish(state): a new view of each index that changed; the one before it goes when
//   its last reader is done

import { assert } from '../../../format/errors.ts'
import type { IndexNo, SegmentNo } from '../../../format/ids.ts'
import type { IndexState, SegmentState, State } from '../catalog/index.ts'
import { type ViewRef, viewRef } from './view-ref.ts'

/**
 * One view in use. Its holder calls `release` once, or declares the lease with `using`, which
 * releases it at the end of the block.
 */
export type Lease = Disposable & {
  readonly ref: ViewRef
  readonly state: IndexState
  readonly release: () => void
}

export type Retired = {
  readonly index: IndexNo
  readonly sequence: number
  /** Segments that were named by this view and are not by any other. */
  readonly segments: readonly SegmentState[]
}

type View = { readonly ref: ViewRef; readonly state: IndexState; readers: number }

export class Views {
  readonly #onRetired: (retired: Retired) => void
  readonly #onPublished: (view: ViewRef) => void
  readonly #current = new Map<IndexNo, View>()
  /** By segment number: how many views name it. */
  readonly #users = new Map<SegmentNo, number>()

  /** `onPublished`: called with each new view, before the one that it follows may retire. */
  constructor(
    onRetired: (retired: Retired) => void,
    onPublished: (view: ViewRef) => void = () => undefined,
  ) {
    this.#onRetired = onRetired
    this.#onPublished = onPublished
  }

  /** Makes views of what changed. `state` is newer than the last one. */
  publish(state: State): void {
    for (const [number, view] of this.#current) {
      if (state.indexes.has(number)) continue
      this.#current.delete(number)
      this.#leave(view)
    }
    for (const [number, index] of state.indexes) {
      const old = this.#current.get(number)
      if (old?.state === index) continue
      const view = { ref: viewRef(index, state.sequence), state: index, readers: 1 }
      for (const segment of index.segments.keys()) {
        this.#users.set(segment, (this.#users.get(segment) ?? 0) + 1)
      }
      this.#current.set(number, view)
      this.#onPublished(view.ref)
      if (old !== undefined) this.#leave(old)
    }
  }

  /** The newest view of an index, or null when there is none of that number. */
  lease(index: IndexNo): Lease | null {
    const view = this.#current.get(index)
    if (view === undefined) return null
    view.readers++
    let released = false
    const release = (): void => {
      assert(!released, 'a lease is released once')
      released = true
      this.#leave(view)
    }
    return { ref: view.ref, state: view.state, release, [Symbol.dispose]: release }
  }

  /** Whether a view that is current or read names the segment. */
  names(segment: SegmentNo): boolean {
    return this.#users.has(segment)
  }

  #leave(view: View): void {
    view.readers--
    if (view.readers > 0) return
    const segments: SegmentState[] = []
    for (const segment of view.state.segments.values()) {
      const users = this.#users.get(segment.segment)! - 1
      if (users > 0) this.#users.set(segment.segment, users)
      else {
        this.#users.delete(segment.segment)
        segments.push(segment)
      }
    }
    this.#onRetired({ index: view.ref.index, sequence: view.ref.sequence, segments })
  }
}
