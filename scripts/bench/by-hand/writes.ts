/** Writes of the bare server: each of one order, answered with what then stands there. */
import type { Database } from 'libsql'
import { CANCEL, CREATE, CUSTOMER, DELETE, FORM, NEXT_NUMBER, UPDATE } from './orders-sql.ts'
import { type Caller, prepareCell } from './reads.ts'

const REFRESH = '{"Type":"refreshTable","Target":"Orders"}'

interface Written {
  action: string
  id: number
  /** The text of an alert about an order, behind its number. */
  alert?: string
}

/** The answer of a write, of the values that then stand there. */
function planAnswer(database: Database, { company, region }: Caller) {
  const form = prepareCell(database, FORM)
  return ({ action, id, alert }: Written): string => {
    const values = String(form(id, company, region))
    const { Number: number, RowVersion } = JSON.parse(values) as Record<string, string>
    const told = alert
      ? `,{"Type":"showAlert","Level":"warning","Message":"Order ${number} ${alert}"}`
      : ''
    return (
      `{"Action":"${action}","Keys":{"Id":${id}},"RowVersion":"${RowVersion}",` +
      `"Values":${values},"Ignored":[],"Dispatch":[${REFRESH}${told}]}`
    )
  }
}

/** Changes the reference of an order. */
export function planUpdate(
  database: Database,
  caller: Caller,
): (body: { Id: number; Reference: string }) => string {
  const { company, region, user } = caller
  const update = database.prepare(UPDATE)
  const answer = planAnswer(database, caller)
  return ({ Id, Reference }) => {
    const now = new Date().toISOString()
    const { changes } = update.run(Reference, now, user, Id, company, region)
    if (changes !== 1) throw new Error(`Order ${Id} is not to be changed`)
    return answer({ action: 'updated', id: Id })
  }
}

/** Adds an order for a customer, under the next number of the year. */
export function planCreate(
  database: Database,
  caller: Caller,
): (body: { CustomerId: number; Reference: string }) => string {
  const { company, region, user } = caller
  const customer = prepareCell(database, CUSTOMER)
  const next = prepareCell(database, NEXT_NUMBER)
  const create = prepareCell(database, CREATE)
  const answer = planAnswer(database, caller)
  return ({ CustomerId, Reference }) => {
    const now = new Date()
    if (customer(CustomerId, company, region) !== 1) throw new Error(`No customer ${CustomerId}`)
    const year = String(now.getUTCFullYear())
    const number = `SO-${year}-${String(next(company, year)).padStart(5, '0')}`
    const at = now.toISOString()
    const order = [number, company, CustomerId, user, region, at, Reference, now.getTime()]
    const id = Number(create(...order, at, user, at, user))
    return answer({ action: 'created', id })
  }
}

/** Takes an order away. */
export function planDelete(
  database: Database,
  { company, region }: Caller,
): (body: { Id: number }) => string {
  const remove = database.prepare(DELETE)
  return ({ Id }) => {
    const { changes } = remove.run(Id, company, region)
    if (changes !== 1) throw new Error(`Order ${Id} is not to be deleted`)
    return `{"Action":"deleted","Keys":{"Id":${Id}},"Ignored":[],"Dispatch":[${REFRESH}]}`
  }
}

/** Cancels an order for a reason. */
export function planCancel(
  database: Database,
  caller: Caller,
): (body: { Id: number; Reason: string }) => string {
  const { company, region, user } = caller
  const cancel = database.prepare(CANCEL)
  const answer = planAnswer(database, caller)
  return ({ Id, Reason }) => {
    const now = new Date().toISOString()
    const { changes } = cancel.run(Reason, now, user, Id, company, region)
    if (changes !== 1) throw new Error(`Order ${Id} is not to be cancelled`)
    return answer({ action: 'Cancel', id: Id, alert: 'cancelled' })
  }
}
