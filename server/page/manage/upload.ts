// Sends a file of documents with `XMLHttpRequest`, because `fetch` does not report how much of a
// body has been sent.
import { authorization, indexPath, ServerError, serverErrorOf, targetOf } from '../parts/index.ts'

export type FileType = {
  readonly type: 'application/json' | 'application/x-ndjson' | 'text/csv'
  readonly isGzip: boolean
}

const TYPES: { readonly [ending: string]: FileType['type'] } = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
}

/** Returns the content type for the name of a file, or null if the file type is not accepted. */
export function fileType(name: string): FileType | null {
  const plain = name.toLowerCase().replace(/\.gz$/, '')
  const type = TYPES[/\.([a-z]+)$/.exec(plain)?.[1] ?? '']
  return type === undefined ? null : { type, isGzip: plain.length < name.length }
}

export type Upload = {
  readonly index: string
  readonly file: File
  readonly primaryKey: string
  /** True to update existing documents, which keep their other members; false to replace them. */
  readonly isUpdate: boolean
  readonly csvDelimiter: string
}

/** Returns the path and the query string of an upload. */
export function uploadPath({ index, file, primaryKey, csvDelimiter }: Upload): string {
  const query = new URLSearchParams()
  if (primaryKey !== '') query.set('primaryKey', primaryKey)
  if (csvDelimiter !== '' && fileType(file.name)?.type === 'text/csv') {
    query.set('csvDelimiter', csvDelimiter)
  }
  const text = query.toString()
  return indexPath(index, `/documents${text === '' ? '' : `?${text}`}`)
}

/**
 * Sends a file and resolves to the uid of the task. @throws ServerError; AbortError when the signal
 * fires
 */
export function sendFile(
  upload: Upload,
  { type, isGzip }: FileType,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<number> {
  const request = new XMLHttpRequest()
  request.open(upload.isUpdate ? 'PUT' : 'POST', targetOf(uploadPath(upload)))
  request.setRequestHeader('content-type', type)
  if (isGzip) request.setRequestHeader('content-encoding', 'gzip')
  for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value)
  return new Promise((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => {
      const { status, responseText } = request
      if (status !== 202) return reject(serverErrorOf(status, responseText))
      resolve((JSON.parse(responseText) as { readonly taskUid: number }).taskUid)
    }
    request.onerror = () =>
      reject(
        new ServerError('The upload was interrupted. Is the server running?', 0, 'unreachable'),
      )
    request.onabort = () => reject(new DOMException('canceled', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(upload.file)
  })
}
