// The page of the API: its description, and requests that a user fills in.
export { startApiPage } from './api-page.ts'
