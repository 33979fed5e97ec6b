// Tasks in the answers of a server, and of its stream.
import type { TaskUid } from '../../format/ids.ts'
import {
  anything,
  identifying,
  nullable,
  number,
  object,
  open,
  text,
} from '../../format/schema/index.ts'

type Receipt = { readonly taskUid: TaskUid }

/** The server's answer to a write. */
export const RECEIPT = open(object<Receipt>({ taskUid: identifying<TaskUid>(number) }))

export type RemoteTask = {
  readonly uid: TaskUid
  readonly status: string
  readonly error: { readonly message: string } | null
  readonly details: unknown
}

export const TASK = open(
  object<RemoteTask>({
    uid: identifying<TaskUid>(number),
    status: text,
    error: nullable(open(object<{ readonly message: string }>({ message: text }))),
    details: anything,
  }),
)
