// The page of the API: where its script begins. It shows the description that the server makes of
// itself, and sends requests that a user writes.
import { startApiPage } from './api-page.ts'

startApiPage(document)
