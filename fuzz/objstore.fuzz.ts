// Fuzzes the answers of object stores: any text gives objects, uploads and members, or empty lists.
import { listedIn, rootOf, textIn, uploadsIn } from '../engine/backup/objstore/xml.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const SEEDS = [
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>' +
    '<NextContinuationToken>t</NextContinuationToken>' +
    '<Contents><Key>a&amp;b</Key><Size>12</Size></Contents><Contents/></ListBucketResult>',
  '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
  '<ListMultipartUploadsResult><Upload><Key>k</Key><UploadId>u</UploadId></Upload>' +
    '</ListMultipartUploadsResult>',
  '<Error><Code>NoSuchUpload</Code></Error>',
]
const ROOTS = [
  'ListBucketResult',
  'InitiateMultipartUploadResult',
  'ListMultipartUploadsResult',
  'Error',
  '__proto__',
]

export const target: FuzzTarget = {
  name: 'objstore',
  seeds: () => SEEDS.map((text) => new TextEncoder().encode(text)),
  run: async (input) => {
    const text = new TextDecoder().decode(input)
    for (const name of ROOTS) {
      const root = await rootOf(text, name)
      if (root === null) continue
      for (const { key } of listedIn(root)) assert(key !== '', 'a key is a text')
      for (const { key, uploadId } of uploadsIn(root)) {
        assert(key !== '' && uploadId !== '', 'an upload has both')
      }
      const id = textIn(root, 'UploadId')
      assert(id === null || typeof id === 'string', 'a member is a text')
    }
  },
  allows: () => false,
  inputBytesMax: 4096,
}
