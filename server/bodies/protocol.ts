// Messages between the main thread and the thread that reads bodies. One body at a time, and one
// piece of its value at a time: the main thread requests each next piece.
import type { WireError } from '../../engine/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import type { Packing } from '../unpack/index.ts'
import type { Step } from './pieces.ts'
import type { BodyName } from './readers.table.ts'

export type ReadMessage =
  | {
      readonly kind: 'read'
      readonly name: BodyName
      readonly detail: readonly unknown[]
      readonly body: Uint8Array
      /** null if the body is not compressed. */
      readonly packing: Packing | null
    }
  | { readonly kind: 'more' }
  /** There is no memory for the decompressed body: stop reading it. */
  | { readonly kind: 'drop' }

export type ReadReply =
  /** The body was decompressed and has this size; the thread continues after the next `more`. */
  | { readonly kind: 'unpacked'; readonly bytes: number }
  | { readonly kind: 'piece'; readonly piece: readonly Step[]; readonly isLast: boolean }
  /** The body is invalid: the client's fault. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly status: number
    }
  | { readonly kind: 'failed'; readonly error: WireError }
