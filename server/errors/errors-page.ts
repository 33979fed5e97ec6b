// Generates docs/errors.md from the catalogue and its advice.
import { ADVICE } from './advice.table.ts'
import { CATALOGUE, type ErrorCode } from './catalogue.ts'

const HEAD = `# Errors

Every refusal is a JSON object with four members:

\`\`\`json
{
  "message": "Index \`movies\` not found.",
  "code": "index_not_found",
  "type": "invalid_request",
  "link": "…/errors.md#index_not_found"
}
\`\`\`

\`code\` is for programs: it stays the same from release to release. \`message\` is for people and
describes the fault and its place. \`type\` is the source of the error: \`invalid_request\` and
\`auth\` the request, \`system\` the machine, \`internal\` a defect of the server. A task that failed carries the
same object as its \`error\`. Answers with status 503 or 504 have the number of seconds to wait in \`Retry-After\`.
Unknown paths (404) and methods (405) have no body.
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
