/** Deploys whose plan does not hold any more. */
import { conflict, type Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'

/** The code of the 409 of a deploy whose plan does not hold any more. */
export const DEPLOY_OVERTAKEN = 'DEPLOY_OVERTAKEN'

/** Conflict (409): another deploy came between, which was not the one to be rolled back. */
export const anotherDeploy = (): Failure =>
  conflict(say`Another deploy or rollback came in between. Look at the plan again first.`, {
    code: 'LAST_DEPLOY_CHANGED',
  })

/** Conflict (409): the catalog or the rows are not those that the deploy was planned for. */
export const overtaken = (): Failure =>
  conflict(say`The data or the model changed in the meantime. Deploy again.`, {
    code: DEPLOY_OVERTAKEN,
  })
