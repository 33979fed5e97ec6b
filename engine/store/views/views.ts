// Views of indexes and their readers. The registry holds the newest view of each index; a search or
// a job leases it and releases it. A segment that no view names is retired, and its file can be
// removed.
//
//   commit → publish(state): a new view of each changed index; the previous view is dropped when
//   its last reader releases it

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
  /** Segments of this view that no other view names. */
  readonly segments: readonly SegmentState[]
}

type View = { readonly ref: ViewRef; readonly state: IndexState; readers: number }

export class Views {
  readonly #onRetired: (retired: Retired) => void
  readonly #onPublished: (view: ViewRef) => void
  readonly #current = new Map<IndexNo, View>()
  /** By segment number, the number of views that name it. */
  readonly #users = new Map<SegmentNo, number>()

  /** `onPublished`: called with each new view, before the previous one may retire. */
  constructor(
    onRetired: (retired: Retired) => void,
    onPublished: (view: ViewRef) => void = () => undefined,
  ) {
    this.#onRetired = onRetired
    this.#onPublished = onPublished
  }

  /** Creates views of the indexes that changed. `state` must be newer than the last one. */
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

  /** Leases the newest view of an index; returns null if there is no index with that number. */
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

  /** Returns true if a current or leased view names the segment. */
  names(segment: SegmentNo): boolean {
    return this.#users.has(segment)
  }

  #leave(view: View): void {
    assert(view.readers > 0, 'a view is left by a reader')
    view.readers--
    if (view.readers > 0) return
    const segments: SegmentState[] = []
    for (const segment of view.state.segments.values()) {
      const users = (this.#users.get(segment.segment) ?? 0) - 1
      assert(users >= 0, 'a segment of a view is named by it')
      if (users > 0) this.#users.set(segment.segment, users)
      else {
        this.#users.delete(segment.segment)
        segments.push(segment)
      }
    }
    this.#onRetired({ index: view.ref.index, sequence: view.ref.sequence, segments })
  }
}
