// Answers to several searches in one body: a line of JSON with the status and length of each
// answer, then their bytes one after another. The answers themselves are not parsed.
import { NEWLINE } from '../../../format/bytes/index.ts'
import {
  isValid,
  list,
  object,
  open,
  type Schema,
  safeCount,
} from '../../../format/schema/index.ts'
import { parsedJson } from './parsed-json.ts'

export type ListedAnswer = { readonly status: number; readonly bytes: Uint8Array }

type Head = { readonly answers: readonly { readonly status: number; readonly length: number }[] }

const HEAD: Schema<Head> = open(
  object<Head>({
    answers: list(open(object<Head['answers'][number]>({ status: safeCount, length: safeCount }))),
  }),
)

/** Returns the parts of the body. */
export function writeAnswers(answers: readonly ListedAnswer[]): readonly Uint8Array[] {
  const head: Head = {
    answers: answers.map(({ status, bytes }) => ({ status, length: bytes.length })),
  }
  return [Buffer.from(`${JSON.stringify(head)}\n`), ...answers.map(({ bytes }) => bytes)]
}

/** Returns `count` answers as views of `body`, or null if the body has another format. */
export function readAnswers(body: Uint8Array, count: number): readonly ListedAnswer[] | null {
  const end = body.subarray(0, headMax(count)).indexOf(NEWLINE)
  if (end < 0) return null
  const head = parsedJson(body.slice(0, end))
  if (!isValid(HEAD, head) || head.answers.length !== count) return null
  const answers: ListedAnswer[] = []
  let at = end + 1
  for (const { status, length } of head.answers) {
    answers.push({ status, bytes: body.subarray(at, at + length) })
    at += length
  }
  // A length beyond the end leads past it.
  return at === body.length ? answers : null
}

/** An upper bound of the head's length for so many answers. */
const headMax = (count: number): number => 1024 + count * 64
