// What the main thread and the thread that reads bodies say to each other. One body at a time, and
// one piece of its value at a time: the next is sent when it is asked for.
import type { WireError } from '../../engine/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import type { Step } from './pieces.ts'
import type { BodyName } from './readers.table.ts'

export type ReadMessage =
  | {
      readonly kind: 'read'
      readonly name: BodyName
      readonly detail: readonly unknown[]
      readonly body: Uint8Array
    }
  | { readonly kind: 'more' }

export type ReadReply =
  | { readonly kind: 'piece'; readonly piece: readonly Step[]; readonly isLast: boolean }
  /** The client's fault. */
  | {
      readonly kind: 'refused'
      readonly code: ErrorCode
      readonly message: string
      readonly status: number
    }
  | { readonly kind: 'failed'; readonly error: WireError }
