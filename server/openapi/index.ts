// What does the API look like, for programs and in a browser?
export { type Description, describe } from './describe.ts'
export { describeApi } from './describe-api.ts'
export { withDescription } from './routes.ts'
