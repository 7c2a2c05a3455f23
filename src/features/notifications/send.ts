/** Messages of one user to others. */
import { denied, type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import { type UserQuery, usersOf } from '../../access/users/recipients.ts'
import type { NoticeKind } from '../../engine/notifications/notice-kinds.ts'
import { saveNotifications } from '../../engine/notifications/save-notifications.ts'
import { missingRecord } from '../../engine/object/form/load-form.ts'
import { readParameters } from '../../engine/object/parameters.ts'
import { requireViewUse } from '../../engine/object/read/find-view.ts'
import { isReadable, keyValues, requireViewKey } from '../../engine/object/record/record.ts'
import { keyText } from '../../engine/object/record/written-row.ts'
import type { AppContext } from '../../server/context.ts'
import type { SendRequest } from './schema.ts'

/** The kind of a message that names none. */
const USUAL_KIND: NoticeKind = 'Message'

/**
 * Sends a notification; resolves to its count of recipients. Throws denied for All if not System,
 * validation for users and roles not of the company, invalid for no recipient at all.
 */
export async function sendNotification(
  app: AppContext,
  { caller, model }: { caller: Caller; model: Model },
  request: SendRequest,
): Promise<number> {
  const { Users: users, Roles: roles, Company: wholeCompany, All: all } = request
  if (all === true && !caller.isSystem) throw denied()
  if (!users?.length && !roles?.length && wholeCompany !== true && all !== true)
    throw invalid(say`Set Users, Roles, Company or All`)
  const about = await findRecord(app, { caller, model }, request)
  const told = {
    kind: request.Kind ?? USUAL_KIND,
    title: request.Title,
    body: request.Body ?? null,
    level: request.Level ?? 'info',
    url: request.Url ?? null,
    fromUserId: caller.userId,
    now: app.clock.now(),
    ...about,
  }
  const { companyId } = caller
  return app.store.write(
    async (tx) => {
      if (all === true) {
        let count = 0
        for (const { id } of await loadCompaniesOfWork(tx))
          count += await saveNotifications(
            tx,
            { ...told, companyId: id },
            usersOf(id, { home: true }),
          )
        return count
      }
      if (wholeCompany === true)
        return saveNotifications(tx, { ...told, companyId }, usersOf(companyId))
      await requireKnown(tx, model, companyId, request)
      const named = { users: users ?? [], roles: roles ?? [] }
      return saveNotifications(tx, { ...told, companyId }, usersOf(companyId, { named }))
    },
    scopeOf(caller, 'a user tells others something'),
  )
}

/** The record that it is about, which the sender sees. @throws denied, notFound */
async function findRecord(
  app: AppContext,
  by: { caller: Caller; model: Model },
  { Object: name, Keys: keys }: SendRequest,
): Promise<{ object: string | null; entity: string | null; recordKey: string | null }> {
  if (name === undefined || name === null) return { object: null, entity: null, recordKey: null }
  const use = requireViewUse(app, by, name, ['View'])
  const { view } = use
  if (!keys) return { object: view.name, entity: null, recordKey: null }
  const key = requireViewKey(view, readParameters(keys))
  if (!(await isReadable(app.queryCache, use, key))) throw missingRecord()
  const { entity } = view
  const columns = key.values.flatMap(({ field, value }) =>
    field.column ? [{ field, column: field.column, value }] : [],
  )
  if (!entity || columns.length < entity.keys.length)
    throw invalid(say`The records of '${view.name}' do not contain the key of an entity`)
  const recordKey = keyText(keyValues(entity, { values: columns }))
  return { object: view.name, entity: entity.name, recordKey }
}

/** Requires known users and roles; one of another company is as unknown as any other. */
async function requireKnown(
  tx: Tx,
  model: Model,
  companyId: number,
  { Users: users, Roles: roles }: SendRequest,
): Promise<void> {
  const faults: FieldErrors = {}
  for (const [at, name] of (users ?? []).entries()) {
    const { where, args }: UserQuery = usersOf(companyId, { named: { users: [name], roles: [] } })
    const found = await tx.get(`SELECT 1 AS Found FROM main.svc_users u WHERE ${where}`, args)
    if (!found) faults[`Users[${at}]`] = say`There is no such user in this company`
  }
  const known = new Set([...model.roles.keys()].map((name) => name.toLowerCase()))
  for (const [at, name] of (roles ?? []).entries())
    if (!known.has(name.toLowerCase())) faults[`Roles[${at}]`] = say`There is no such role`
  if (Object.keys(faults).length > 0) throw validation(faults)
}
