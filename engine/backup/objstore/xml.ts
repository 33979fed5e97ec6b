// Reads answers of stores in XML. The parser is loaded with the first answer.
import { decoder } from '../../../format/bytes/index.ts'
import { XML_BYTES_MAX } from './limits.ts'
import { TransportFault } from './transport.ts'

/** Returns the text of an answer up to a maximum length. @throws TransportFault */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > XML_BYTES_MAX) throw new TransportFault(false, 'the answer is too long')
    chunks.push(chunk)
  }
  return decoder.decode(Buffer.concat(chunks))
}

type Xml = { readonly [name: string]: unknown }

/**
 * Returns the root element of that name, or null if it is missing, holds only text, or the text is
 * not XML.
 */
export async function rootOf(text: string, name: string): Promise<Xml | null> {
  const root = (await parsed(text))?.[name]
  if (root === '') return {}
  return typeof root === 'object' && root !== null && !Array.isArray(root) ? (root as Xml) : null
}

/** Returns whether the text is XML with a root element of that name and any content. */
export async function hasRoot(text: string, name: string): Promise<boolean> {
  const document = await parsed(text)
  return document !== null && Object.hasOwn(document, name)
}

async function parsed(text: string): Promise<Xml | null> {
  const { XMLParser } = await import('fast-xml-parser')
  const parser = new XMLParser({
    parseTagValue: false,
    processEntities: true,
    // Decodes numeric entities as well.
    htmlEntities: true,
    isArray: (tag) => tag === 'Contents' || tag === 'Upload',
  })
  try {
    // Stores send blanks while a request takes long, also before the declaration of the document.
    return parser.parse(text.trimStart(), true) as Xml | null
  } catch (error) {
    // The parser throws plain errors.
    if (!(error instanceof Error)) throw error
    return null
  }
}

/** Returns the text of a member, or null if it is missing. */
export const textIn = (xml: Xml, name: string): string | null => {
  const value = xml[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export type ListedObject = {
  readonly key: string
  readonly bytes: number
}

export function listedIn(xml: Xml): readonly ListedObject[] {
  const contents = Array.isArray(xml['Contents']) ? (xml['Contents'] as readonly Xml[]) : []
  return contents.flatMap((item) => {
    const key = textIn(item, 'Key')
    return key === null ? [] : [{ key: keyText(xml, key), bytes: Number(textIn(item, 'Size')) }]
  })
}

export type ListedUpload = { readonly key: string; readonly uploadId: string }

export function uploadsIn(xml: Xml): readonly ListedUpload[] {
  const uploads = Array.isArray(xml['Upload']) ? (xml['Upload'] as readonly Xml[]) : []
  return uploads.flatMap((item) => {
    const key = textIn(item, 'Key')
    const uploadId = textIn(item, 'UploadId')
    return key === null || uploadId === null ? [] : [{ key: keyText(xml, key), uploadId }]
  })
}

/** Returns the parameters that request the next page of uploads, or null for the last page. */
export function nextUploadsIn(xml: Xml): { readonly [name: string]: string } | null {
  if (textIn(xml, 'IsTruncated') !== 'true') return null
  const key = textIn(xml, 'NextKeyMarker')
  if (key === null) return null
  const id = textIn(xml, 'NextUploadIdMarker')
  const more = id === null ? {} : { 'upload-id-marker': id }
  return { 'key-marker': keyText(xml, key), ...more }
}

/**
 * Decodes a key of a list. XML cannot hold all characters, so lists are requested with keys in the
 * form of URLs; a store that does so says it. Keys with another `%` stay as they are.
 */
function keyText(list: Xml, key: string): string {
  if (textIn(list, 'EncodingType') !== 'url') return key
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return key
  }
}

/** Returns the body that completes an upload; `etags` in the order of parts. */
export function completionXml(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
