// Answers of a store: success, the error of a failure, and the rest of a body.
import { EngineFault } from '../../model/index.ts'
import { type StoreAnswer, TransportFault } from './transport.ts'
import { readAll } from './xml.ts'

export const isSuccess = ({ status }: StoreAnswer): boolean => status >= 200 && status < 300

export const serverError = (message: string): EngineFault =>
  new EngineFault('s_3_snapshot_server_error', message)

/** Reads and drops the body, so that the connection can be used again. */
export async function drain({ body }: StoreAnswer): Promise<void> {
  try {
    await readAll(body)
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
  }
}
