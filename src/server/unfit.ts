/** The refusal of values that do not fit a schema: the members by name, and what is expected. */
import { type Failure, type FieldErrors, validation } from '../kernel/failure.ts'
import { FIELD_ERRORS_MAX } from '../kernel/limits.ts'
import { say } from '../kernel/messages.ts'
import { describeIssue, type Issue } from './describe-issue.ts'

const WHOLE = '(all)'

/** 400 with the members and what is expected of each; the value that was sent is never repeated. */
export function refuseUnfit(issues: Iterable<Issue>): Failure {
  const fieldErrors = describeMembers(issues)
  const [first] = Object.entries(fieldErrors)
  return validation(
    fieldErrors,
    first ? say`${first[0]}: ${first[1]}` : say`The request is not valid`,
  )
}

/** Sentences by the names of members: `Filters[0].Field`. */
export function describeMembers(issues: Iterable<Issue>): FieldErrors {
  const fieldErrors: FieldErrors = {}
  let count = 0
  for (const issue of issues)
    for (const { path, message } of describeIssue(issue)) {
      const name = toMemberName(path)
      if (!Object.hasOwn(fieldErrors, name)) fieldErrors[name] = message
      if (++count >= FIELD_ERRORS_MAX) return fieldErrors
    }
  return fieldErrors
}

/** JSON pointer to the spelling of `fieldErrors`: `/Filters/0/Field` is `Filters[0].Field`. */
function toMemberName(pointer: string): string {
  const name = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
  return name === '' ? WHOLE : name.slice(0, 200)
}
