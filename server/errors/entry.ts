// The shape of one row of the catalogue.

/** Whose fault it is: the request, the key, our own, the machine's. */
export type ErrorType = 'invalid_request' | 'auth' | 'internal' | 'system'

export type Entry = { readonly status: number; readonly type: ErrorType }

export const entry = (status: number, type: ErrorType): Entry => ({ status, type })
