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
says what was found and where. \`type\` tells whose fault it is: \`invalid_request\` and \`auth\` the
request's, \`system\` that of the machine, \`internal\` the server's own. A task that failed carries the
same object as its \`error\`. Answers with status 503 say in \`Retry-After\` how many seconds to wait.
Unknown paths (404) and methods (405) have no body.

This page is made from \`server/errors/advice.table.ts\` by
\`UPDATE_GOLDEN=1 npx vitest run server/errors\`.
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
