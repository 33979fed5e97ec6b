// Here are hits and a user: in which order are they for this user?
export { type Personalizer, personalizer } from './personalize.ts'
