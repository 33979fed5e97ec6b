// What the main thread and the thread that reads bodies say to each other. One body at a time, and
// one piece of its value at a time: the next is sent when it is asked for.
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
      /** null: it is not packed. */
      readonly packing: Packing | null
    }
  | { readonly kind: 'more' }
  /** There is no memory for what was unpacked: nothing more of this body. */
  | { readonly kind: 'drop' }

export type ReadReply =
  /** The body was unpacked and has so many bytes: it is read when more is asked for. */
  | { readonly kind: 'unpacked'; readonly bytes: number }
  | { readonly kind: 'piece'; readonly piece: readonly Step[]; readonly isLast: boolean }
  /** The client's fault. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly status: number
    }
  | { readonly kind: 'failed'; readonly error: WireError }
