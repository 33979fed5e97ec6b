// Generates docs/errors.md from the catalogue and its advice.
import { ADVICE } from './advice.table.ts'
import { CATALOGUE, type ErrorCode } from './catalogue.ts'

const HEAD = `# Errors

When the server refuses a request, the answer is a JSON object with four members:

\`\`\`json
{
  "message": "Index \`movies\` not found.",
  "code": "index_not_found",
  "type": "invalid_request",
  "link": "…/errors.md#index_not_found"
}
\`\`\`

\`code\` is for programs: it is the same in every release. \`message\` is for people and
describes the fault and its place. \`type\` is the source of the error: \`invalid_request\` and
\`auth\` mean the request, \`system\` the machine, \`internal\` a defect of the server. A failed task has such
an object as its \`error\`. In answers with status 503 or 504, \`Retry-After\` is the number of seconds to wait.
If a path exists, but not with the method of the request, the answer is 405 without a body.
`

/** Returns the whole page, codes in alphabetical order. */
export function errorsPage(): string {
  const codes = Object.keys(CATALOGUE) as ErrorCode[]
  return [HEAD, ...codes.sort().map(entryOf)].join('\n')
}

const entryOf = (code: ErrorCode): string => {
  const { status, type } = CATALOGUE[code]
  return `## ${code}\n\n\`${status}\` \`${type}\` ${ADVICE[code]}\n`
}
