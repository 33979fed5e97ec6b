// Results of a task on a remote: from its answer, or if it gets none.
import type { RemoteResult } from '../../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'

/** @throws ApiError remote_bad_response */
export function taskUidOf(body: Uint8Array): TaskUid {
  const text = Buffer.from(body).toString()
  try {
    const { taskUid } = JSON.parse(text) as { readonly taskUid?: unknown }
    if (typeof taskUid === 'number' && Number.isSafeInteger(taskUid)) return asTaskUid(taskUid)
  } catch (error) {
    // Neither JSON nor an object: the error below covers it.
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw new ApiError(
    'remote_bad_response',
    'could not parse response from the remote host as a document addition response:\n' +
      `  - response from remote: ${text.slice(0, 1000)}\n` +
      '  - hint: check that the remote instance is a Svc instance running the same version',
  )
}

export const finalError = (error: ApiError): RemoteResult => ({
  error: error.toBody(),
  isFinal: true,
})

/** Returns the result for a remote that no network has. */
export const unknownRemote = (remote: string): RemoteResult =>
  finalError(new ApiError('unknown_remote', `Unknown remote \`${remote}\``))

export const unsent = (): RemoteResult =>
  finalError(
    new ApiError('remote_could_not_send_request', 'the task was canceled before it was sent'),
  )

export const lost = (): RemoteResult =>
  finalError(new ApiError('internal', 'the documents of the task are not there any more'))
