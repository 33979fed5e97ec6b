// The type of one row of the catalogue.

/** The source of the error: the request, the key, a defect of the server, or the machine. */
export type ErrorType = 'invalid_request' | 'auth' | 'internal' | 'system'

export type Entry = { readonly status: number; readonly type: ErrorType }

export const entry = (status: number, type: ErrorType): Entry => ({ status, type })
