/** Writes that a sentence asks for (src/server/README.md, Assistant): proposed, by name. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { HubConnection } from '@microsoft/signalr'
import type { AssistantItem, ProposalItem } from '../../src/engine/assistant/item.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'

let server: HubServer
let client: HubConnection
beforeAll(async () => {
  server = await startHubs()
  client = await connect(server.client('assistant', 'ana'))
})
afterAll(async () => {
  await client.stop()
  await server[Symbol.asyncDispose]()
})

const say = (Message: string, to = client) =>
  new Promise<AssistantItem[]>((resolve, reject) => {
    const items: AssistantItem[] = []
    to.stream<AssistantItem>('Send', { Message }).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve(items),
      error: reject,
    })
  })

async function proposed(sentence: string): Promise<ProposalItem> {
  const items = await say(sentence)
  const found = items.find((item) => item.Type === 'proposal')
  if (!found) throw new Error(`No proposal came: ${JSON.stringify(items)}`)
  return found
}

/** `Due on: 2026-12-04`, for what was asked. */
const asked = ({ Preview }: ProposalItem): string[] =>
  Preview.filter(({ Asked }) => Asked).map(({ Label, To }) => `${Label}: ${String(To)}`)

const openOrder = async (): Promise<string> => {
  const rows = await server.store.all(
    "SELECT Number FROM orders WHERE CompanyId = 1 AND Status = 'new' ORDER BY Id DESC",
  )
  return String(rows[0]?.Number)
}

describe('a sentence', () => {
  test.each([
    ['set the due date of {0} to 2030-05-03', ['Due on: 2030-05-03']],
    ['please set the due date of order {0} to 3 May 2030', ['Due on: 2030-05-03']],
    ["could you change {0}'s due date to 2030-05-03, please?", ['Due on: 2030-05-03']],
    ['ändere das Fälligkeitsdatum von {0} auf 3.5.2030', ['Due on: 2030-05-03']],
    [
      'Kannst du bitte das Fälligkeitsdatum von Auftrag {0} auf 3. Mai 2030 setzen?',
      ['Due on: 2030-05-03'],
    ],
  ])('that sets a field names record and value: %s', async (sentence, preview) => {
    const number = await openOrder()
    const item = await proposed(sentence.replace('{0}', number))
    expect(item).toMatchObject({ Kind: 'update', Object: 'Orders', Record: number })
    expect(asked(item)).toEqual(preview)
  })

  test.each(['Friday', 'next Friday'])('knows the day %s', async (day) => {
    const item = await proposed(`set the due date of ${await openOrder()} to ${day}`)
    const [to] = item.Preview.filter(({ Asked }) => Asked).map(({ To }) => String(To))
    expect(Temporal.PlainDate.from(to ?? '').dayOfWeek).toBe(5)
  })

  test.each([
    ['set the payment days of customer Stonebow Gardens to 45', 'Payment days: 45'],
    ['set the payment days of Stonebow Gardens & Co to forty-five', 'Payment days: 45'],
    ['set the credit limit of Stonebow Gardens & Co to two hundred and ten', 'Credit limit: 210'],
    ['setze das Zahlungsziel von Stonebow Gardens & Co auf fünfundvierzig', 'Payment days: 45'],
    ['set the region of Stonebow Gardens & Co to coast', 'Region: Coast'],
    ['set the email of Stonebow Gardens & Co to "a@b.example"', 'Email: a@b.example'],
    ['setze die Region von Stonebow Gardens & Co auf Coast', 'Region: Coast'],
  ])('sets fields of each kind: %s', async (sentence, value) => {
    const item = await proposed(sentence)
    expect(item.Record).toBe('Stonebow Gardens & Co')
    expect(asked(item)).toEqual([value])
  })

  test('that marks a record is the action of that name', async () => {
    const number = await openOrder()
    const item = await proposed(`please mark order ${number} as approved`)
    expect(item).toMatchObject({ Kind: 'action', Action: 'Approve', Record: number })
  })

  test.each([
    ['can you create a customer called Acme in Coast', ['Name: Acme', 'Region: Coast']],
    [
      'create a customer called Acme in Hills with payment days forty-five',
      ['Name: Acme', 'Region: Hills', 'Payment days: 45'],
    ],
    [
      'create a customer called "Acme & Sons" in Hills with payment days 30 and email a@b.example',
      ['Region: Hills', 'Name: Acme & Sons', 'Payment days: 30', 'Email: a@b.example'],
    ],
    ['lege bitte einen Kunden namens Acme in Coast an', ['Name: Acme', 'Region: Coast']],
  ])('that creates one: %s', async (sentence, values) => {
    const item = await proposed(sentence)
    expect(item).toMatchObject({ Kind: 'create', Object: 'Customers' })
    expect(asked(item).toSorted()).toEqual(values.toSorted())
  })

  test.each([
    ['set the region of Stonebow Gardens & Co to Atlantis', 'Region'],
    ['set the payment days of Stonebow Gardens & Co to many', 'Payment days: Must'],
    ['create a customer called Acme with glorp 7', '“glorp 7”'],
    ['set the payment days of Nobody Ever to 5', 'There is no Customer “Nobody Ever”.'],
    ['set the due date of order SO-1999-00001 to Friday', 'There is no Order “SO-1999-00001”.'],
    ['set active of Stonebow Gardens & Co to no', 'Note is required'],
    ['set active of Stonebow Gardens & Co to maybe', 'Active: Must be true or false'],
    ['set the glorp of Stonebow Gardens & Co to 5', 'set'],
  ])('that is wrong says what: %s', async (sentence, part) => {
    const [last] = (await say(sentence)).filter((item) => item.Type === 'error')
    expect(last?.Message).toContain(part)
  })

  test('is one of who may write alone', async () => {
    const rep = await connect(server.client('assistant', 'dee'))
    const items = await say('set the payment days of Stonebow Gardens & Co to 45', rep)
    expect(items.map(({ Type }) => Type)).not.toContain('proposal')
    await rep.stop()
  })
})

describe('a sentence about several records', () => {
  const newOrders = async (): Promise<string[]> => {
    const rows = await server.store.all(
      "SELECT Number FROM orders WHERE CompanyId = 1 AND Status = 'new' AND Region = 'Coast'",
    )
    return rows.map(({ Number: number }) => String(number)).toSorted()
  }

  test.each([
    ['set the due date of all new orders in Coast to 2030-05-03', 'update', 'Change'],
    ['please set the due date of the new orders in Coast to 3 May 2030', 'update', 'Change'],
    [
      'setze das Fälligkeitsdatum aller neuen Aufträge an der Küste auf 3.5.2030',
      'update',
      'Change',
    ],
    [
      'das Fälligkeitsdatum aller neuen Aufträge an der Küste bitte auf 3.5.2030 setzen',
      'update',
      'Change',
    ],
    ['approve all new orders in Coast', 'action', 'Approve'],
    ['mark all new orders in Coast as approved', 'action', 'Approve'],
    ['set the status of all new orders in Coast to approved', 'action', 'Approve'],
    ['alle neuen Aufträge an der Küste bitte freigeben', 'action', 'Approve'],
    ['delete the new orders in Coast', 'delete', 'Delete'],
    ['könntest du alle neuen Aufträge an der Küste bitte löschen?', 'delete', 'Delete'],
  ])('is one proposal that names them: %s', async (sentence, kind, title) => {
    const numbers = await newOrders()
    const item = await proposed(sentence)
    expect(item).toMatchObject({ Kind: kind, Object: 'Orders', Count: numbers.length })
    expect(item.Keys).toBeUndefined()
    const records = item.Records ?? []
    expect(records.map(({ Record }) => Record).toSorted()).toEqual(numbers)
    const named = records.map(({ Record }) => Record).join(', ')
    expect(item.Title).toBe(`${title}: ${numbers.length} Orders: ${named}`)
    for (const { Preview } of records) expect(Preview.length).toBeGreaterThan(0)
    if (kind === 'update') expect(asked(item)).toEqual(['Due on: 2030-05-03'])
  })

  test.each([
    ['delete the orders {0} and {1}', 'delete'],
    ['delete orders {0}, {1}', 'delete'],
    ['please delete {0} and {1}', 'delete'],
    ['delete the orders {0} {1}', 'delete'],
    ['remove order {0} and order {1}', 'delete'],
    ['lösche die Aufträge {0} und {1}', 'delete'],
    ['bitte die Aufträge {0}, {1} löschen', 'delete'],
    ['lösche {0} und {1}', 'delete'],
    ['approve orders {0} and {1}', 'action'],
    ['set the due date of {0} and {1} to 2030-05-03', 'update'],
    ['set the due date of the orders {0}, {1} to 2030-05-03', 'update'],
    ['setze das Fälligkeitsdatum der Aufträge {0} und {1} auf 3.5.2030', 'update'],
    ['mark orders {0} and {1} as approved', 'action'],
  ])('is about those whose numbers it has: %s', async (sentence, kind) => {
    const [first = '', second = ''] = (await newOrders()).slice(-2)
    const item = await proposed(sentence.replace('{0}', first).replace('{1}', second))
    expect(item).toMatchObject({ Kind: kind, Object: 'Orders', Count: 2 })
    expect(item.Records?.map(({ Record }) => Record).toSorted()).toEqual([first, second])
  })

  test.each([
    'delete the orders {0} and SO-1999-00001',
    'set the due date of {0} and SO-1999-00001 to 2030-05-03',
    'lösche die Aufträge {0} und SO-1999-00001',
  ])('with a number of none is refused as a whole: %s', async (sentence) => {
    const items = await say(sentence.replace('{0}', await openOrder()))
    const last = items.find((item) => item.Type === 'error')
    expect(items.map(({ Type }) => Type)).not.toContain('proposal')
    expect(last?.Message).toContain('SO-1999-00001')
  })

  test('takes as many as it says', async () => {
    const item = await proposed('delete the two newest new orders')
    expect(item.Count).toBe(2)
  })

  test('of more than a proposal takes is told how many there are', async () => {
    const [counted] = await server.store.all(
      "SELECT count(*) AS n FROM orders WHERE CompanyId = 1 AND Region = 'Coast'",
    )
    const sentence = 'set the due date of all orders in Coast to 2030-05-03'
    const [last] = (await say(sentence)).filter((item) => item.Type === 'error')
    expect(last).toMatchObject({
      Code: 'TOO_MANY_RECORDS',
      Message:
        `${String(counted?.n)} Orders are more than the 50 of a proposal. ` +
        'Please narrow them down, or filter the list and use bulk edit.',
    })
  })

  test.each([
    ['delete the order in Coast', 'Which one?'],
    ['delete all cancelled orders of 2025', ': This is not possible'],
    ['cancel all new orders in Coast', ': Reason is required'],
    ['delete all new orders in Narnia', 'Narnia'],
  ])('that is wrong says what, and of which record: %s', async (sentence, part) => {
    const [last] = (await say(sentence)).filter((item) => item.Type === 'error')
    expect(last?.Message).toContain(part)
  })

  test.each([
    ['den Auftrag {0} bitte löschen', 'delete'],
    ['kannst du Auftrag {0} entfernen?', 'delete'],
    ['das Fälligkeitsdatum von {0} bitte auf Freitag verschieben', 'update'],
  ])('of one has its verb at the end: %s', async (sentence, kind) => {
    const number = await openOrder()
    const item = await proposed(sentence.replace('{0}', number))
    expect(item).toMatchObject({ Kind: kind, Record: number })
  })

  test('has numbers in words', async () => {
    const item = await proposed('set the payment days of all active customers in Coast to twenty')
    expect(asked(item)).toEqual(['Payment days: 20'])
  })
})
