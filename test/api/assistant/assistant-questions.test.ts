/**
 * Questions in words over three applications, asked over HTTP: those by which the reading was
 * developed, and those that were kept aside (test/support/questions).
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Refusal } from '../../support/objects.ts'
import { sampleCases } from '../../support/property.ts'
import { startApplications } from '../../support/questions/applications.ts'
import developing from '../../support/questions/developing.txt' with { type: 'text' }
import { judge, type Verdict } from '../../support/questions/judge.ts'
import kept from '../../support/questions/kept.txt' with { type: 'text' }
import measures from '../../support/questions/measures.txt' with { type: 'text' }
import { readQuestions } from '../../support/questions/notation.ts'

let applications: Awaited<ReturnType<typeof startApplications>>
beforeAll(async () => {
  applications = await startApplications()
})
afterAll(async () => applications[Symbol.asyncDispose]())

/** Asks the questions of a text, or a sample of so many. */
async function ask(text: string, count = Infinity): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const question of sampleCases(readQuestions(text), count)) {
    const verdict = await judge(applications.of(question.application), question)
    if (verdict.parts?.length) expectCover(verdict)
    verdicts.push(verdict)
  }
  return verdicts
}

/** Each word is in one part, in the order of the question, and says what the request has. */
function expectCover({ asked, parts = [] }: Verdict): void {
  const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
  const told = parts.map(({ Text }) => Text).join(' ')
  expect(lettersOf(told)).toBe(lettersOf(asked.question))
  for (const { Text, Meaning } of parts) {
    expect({ Text, Meaning }).toMatchObject({ Meaning: expect.stringMatching(MEANINGS) })
    expect(Text).not.toBe('')
  }
}

const MEANINGS = /^(?:object|field|value|measure|period|comparison|group|order|negation|filler)$/

const count = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): number =>
  verdicts.filter((each) => each.outcome === outcome).length

const list = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): string[] =>
  verdicts.flatMap((each) =>
    each.outcome === outcome ? [`${each.asked.question}: ${each.shown}`] : [],
  )

test('at least 105 of each 120 questions are answered as they were meant', async () => {
  expect(readQuestions(developing).length).toBeGreaterThanOrEqual(120)
  const verdicts = await ask(developing, 60)
  expect(count(verdicts, 'right') / verdicts.length).toBeGreaterThanOrEqual(105 / 120)
  expect(list(verdicts, 'wrong')).toEqual([])
})

test('of those kept aside at least 64 of each 80, and none is answered wrongly', async () => {
  expect(readQuestions(kept).length).toBeGreaterThanOrEqual(80)
  const verdicts = await ask(kept, 40)
  expect(count(verdicts, 'right') / verdicts.length).toBeGreaterThanOrEqual(64 / 80)
  expect(count(verdicts, 'wrong')).toBe(0)
})

test('measures, days and numbers are understood by verbs, compounds and mixed words', async () => {
  const verdicts = await ask(measures, 40)
  const missed = verdicts.flatMap(({ asked, outcome, shown }) =>
    outcome === 'right' ? [] : [`${asked.question}: ${outcome}: ${shown}`],
  )
  expect(missed).toEqual([])
})

const PARTS = `demo ana en
orders by week => Orders by OrderedAt:week get count
total per week this year => Orders where OrderedAt eq thisYear by OrderedAt:week get sum Total
weekly orders => Orders by OrderedAt:week get count
orders week by week => Orders by OrderedAt:week get count
how many orders per hour? => Orders by OrderedAt:hour get count
hourly orders last month => Orders where OrderedAt eq lastMonth by OrderedAt:hour get count
total by weekday => Orders by OrderedAt:weekday get sum Total
orders by day of the week and region => Orders by OrderedAt:weekday,Region get count
orders per month => Orders by OrderedAt:month get count
orders on Mondays => Orders where OrderedAt:weekday eq 1
how many orders do we get on Sundays or Saturdays => Orders where OrderedAt:weekday in 6,7 get count
orders not on Sundays => Orders where OrderedAt:weekday ne 7
revenue on weekends this year by region => Orders where OrderedAt:weekday in 6,7 & OrderedAt eq thisYear by Region get sum Total
orders due on Mondays => Orders where DueOn:weekday eq 1
order lines ordered on Mondays => OrderLines where OrderId.OrderedAt:weekday eq 1
share of orders on Mondays => Orders get count if OrderedAt:weekday eq 1 as part, count as whole, share if OrderedAt:weekday eq 1 as share
orders on Monday => refused
orders between Mondays and Fridays => refused
orders in week 40 of 2025 => Orders where OrderedAt ge 2025-09-28T22:00:00Z & OrderedAt lt 2025-10-05T22:00:00Z
orders in week 42 => Orders where OrderedAt ge 2026-10-11T22:00:00Z & OrderedAt lt 2026-10-18T22:00:00Z
orders in week 60 => refused
demo ana de
Aufträge pro Woche => Orders by OrderedAt:week get count
Aufträge nach Kalenderwoche => Orders by OrderedAt:week get count
Umsatz pro Woche in diesem Jahr => Orders where OrderedAt eq thisYear by OrderedAt:week get sum Total
wöchentliche Aufträge => Orders by OrderedAt:week get count
Aufträge pro Stunde => Orders by OrderedAt:hour get count
Aufträge nach Uhrzeit => Orders by OrderedAt:hour get count
Umsatz je Wochentag => Orders by OrderedAt:weekday get sum Total
Aufträge pro Monat => Orders by OrderedAt:month get count
Aufträge montags => Orders where OrderedAt:weekday eq 1
Wie viele Aufträge kommen sonntags oder samstags? => Orders where OrderedAt:weekday in 6,7 get count
Umsatz in KW 40 2025 => Orders where OrderedAt ge 2025-09-28T22:00:00Z & OrderedAt lt 2025-10-05T22:00:00Z get sum Total
Aufträge am Montag => refused`

test('weeks, hours and days of the week are understood like months', async () => {
  const verdicts = await ask(PARTS)
  const missed = verdicts.flatMap(({ asked, outcome, shown }) =>
    outcome === 'right' ? [] : [`${asked.question}: ${shown}`],
  )
  expect(missed).toEqual([])
})

const SEAMS = `demo ana en
customers with more than 3 orders => Orders by CustomerId get count having count gt 3
email of Larkspur Kitchens Trading => Customers where Name eq Larkspur Kitchens Trading show Name,Email
email Larkspur Kitchens Trading the offer => refused
due date of order SO-2026-00200 => Orders where Number eq SO-2026-00200 show Number,DueOn
price of product HT-0052 => Products where Sku eq HT-0052 show Sku,Name,Price
screws under 5 euros => Products where GroupCode eq screws & Price lt 5
orders over two hundred and ten euros => Orders where Total gt 210
products under forty-five euros => Products where Price lt 45
orders between one hundred and two hundred euros => Orders where Total ge 100 & Total le 200
customers with a credit limit over two thousand and twenty => Customers where CreditLimit gt 2020
customers with 2 orders => Orders by CustomerId get count having count eq 2
regions with total revenue over 5000 in 2025 => Orders where OrderedAt ge 2024-12-31T23:00:00Z & OrderedAt lt 2025-12-31T23:00:00Z by Region get sum Total having sum_Total gt 5000
customers not in Germany => Customers where CountryCode ne DE
customers with note => Customers where Note isNotNull
customers without note => Customers where Note isNull
number of orders with discount => OrderLines where Discount gt 0 get countDistinct OrderId
best selling product => OrderLines by ProductId get sum Quantity sort sum_Quantity desc top 1
who has the most open orders => Orders preset Open by OwnerId get count sort count desc top 1
what is the phone number of Larkspur Kitchens Trading => Customers where Name eq Larkspur Kitchens Trading show Name,Phone
which 3 customers have the most orders this year => Orders where OrderedAt eq thisYear by CustomerId get count sort count desc top 3
revenue by product group 2025 => OrderLines where OrderId.OrderedAt ge 2024-12-31T23:00:00Z & OrderId.OrderedAt lt 2025-12-31T23:00:00Z by ProductId.GroupCode get sum Amount
orders created by me => Orders where CreatedBy eq 2
orders changed by me => Orders where ChangedBy eq 2
orders changed by ana => refused
orders over 1000 or under 100 in Coast => refused
revenue of shipped orders => Orders where Status eq shipped get sum Total
revenue excluding cancelled orders => Orders where Status ne cancelled get sum Total
orders with a total of at least 1,500.50 => Orders where Total ge 1500.5
cancelled orders or orders over 5000 in 2025 => refused
new or approved orders => Orders where Status in new,approved
revenue by status last year => Orders where OrderedAt eq lastYear by Status get sum Total
customers without any orders => Customers without Orders CustomerId
customers with no orders => Customers without Orders CustomerId
how many customers in Coast without orders in 2026? => Customers where Region eq Coast without Orders CustomerId OrderedAt ge 2025-12-31T23:00:00Z & OrderedAt lt 2026-12-31T23:00:00Z get count
customers without open orders => Customers without Orders CustomerId Open
+ and in Coast? => Customers where Region eq Coast without Orders CustomerId Open
customers without orders in Coast => refused
customers without orders by region => refused
orders of customers without orders => refused
how many products were sold in 2025 => OrderLines where OrderId.OrderedAt ge 2024-12-31T23:00:00Z & OrderId.OrderedAt lt 2025-12-31T23:00:00Z get countDistinct ProductId
what will our revenue be next year? => refused
products that were never sold => Products without OrderLines ProductId
never sold products => Products without OrderLines ProductId
how many active products were never sold? => Products where Active eq true without OrderLines ProductId get count
products not sold in 2026 => Products without OrderLines ProductId OrderId.OrderedAt ge 2025-12-31T23:00:00Z & OrderId.OrderedAt lt 2026-12-31T23:00:00Z
customers who ordered nothing this year => Customers without Orders CustomerId OrderedAt eq thisYear
customers in Coast who did not order anything in 2026 => Customers where Region eq Coast without Orders CustomerId OrderedAt ge 2025-12-31T23:00:00Z & OrderedAt lt 2026-12-31T23:00:00Z
customers created this year who never ordered => Customers where CreatedAt eq thisYear without Orders CustomerId
customers without shipped orders this year => Customers without Orders CustomerId Status eq shipped & OrderedAt eq thisYear
customers that bought something last month => Customers with Orders CustomerId OrderedAt eq lastMonth
+ and in Coast? => Customers where Region eq Coast with Orders CustomerId OrderedAt eq lastMonth
customers we never sold to => Customers without Orders CustomerId
products without movements => Products without StockMovements ProductId
customers who never ordered in Coast => refused
products never sold by group => refused
products never sold or ordered => refused
revenue of customers who never ordered => refused
products not sold more than 10 times => refused
users who never ordered => refused
which customers have the topic Painting? => Customers where Topics eq painting
customers with topics Painting or Woodwork => Customers where Topics in painting,wood
customers with topics Painting and Woodwork => Customers where Topics eq painting & Topics eq wood
how many customers without the topic Painting by region => Customers where Topics ne painting by Region get count
customers without topics => Customers where Topics isNull
customers by topic => refused
customers sorted by topic => refused
customers topics => refused
orders of customers with the topic Painting => refused
best supplier => refused
products below reorder level => Products where OnHand lt @ReorderLevel
how many orders have a cost above their revenue in Coast? => Orders where Cost gt @Total & Region eq Coast get count
orders where the due date is before the ordered date => Orders where DueOn lt @OrderedAt
order lines with a price below the product price => OrderLines where Price lt @ProductId.Price
products cheaper than their cost => Products where Price lt @Cost
orders with revenue not below cost => Orders where Total ge @Cost
orders not due before the ordered date => refused
orders by due date => Orders by DueOn:day get count
average total above cost => refused
customers with revenue over cost => refused
orders delivered after the due date => refused
best selling products with more than 3 orders => refused
the phone number of customers by region => refused
orders without due date => Orders where DueOn isNull
order lines without discount => OrderLines where Discount eq 0
orders of Ares => refused
revenue of Doe => refused
orders in Wien => Orders where CustomerId.CityId eq 3
orders in Coest => PrintedOrders where Region eq Coast
stock value => refused
average order size => refused
cancelled orders in Coast => Orders where Status eq cancelled & Region eq Coast
+ revenue per month in 2026 => Orders where OrderedAt ge 2025-12-31T23:00:00Z & OrderedAt lt 2026-12-31T23:00:00Z by OrderedAt:month get sum Total
customer Stonebow Gardens => Customers where Name startsWith Stonebow Gardens
phone number of customer Stonebow Gardens => Customers where Name startsWith Stonebow Gardens show Name,Phone
cancelled orders in Coast => Orders where Status eq cancelled & Region eq Coast
+ the open ones => Orders preset Open where Status eq cancelled & Region eq Coast
cancelled orders in Coast => Orders where Status eq cancelled & Region eq Coast
+ group by customer and sum total => Orders where Status eq cancelled & Region eq Coast by CustomerId get sum Total
revenue this year => Orders where OrderedAt eq thisYear get sum Total
+ and in Coast? => Orders where OrderedAt eq thisYear & Region eq Coast get sum Total
demo ana de
E-Mail von Larkspur Kitchens Trading => Customers where Name eq Larkspur Kitchens Trading show Name,Email
Artikel unter fünfundvierzig Euro => Products where Price lt 45
Aufträge über zweihundertzehn Euro => Orders where Total gt 210
Welche Kunden haben nie etwas bestellt? => Customers without Orders CustomerId
Welche Kunden haben dieses Jahr nichts bestellt? => Customers without Orders CustomerId OrderedAt eq thisYear
Wie viele Kunden in Coast haben nie bestellt? => Customers where Region eq Coast without Orders CustomerId get count
Kunden mit dem Thema Painting => Customers where Topics eq painting
nie verkaufte Artikel => Products without OrderLines ProductId
Artikel, die dieses Jahr nicht verkauft wurden => Products without OrderLines ProductId OrderId.OrderedAt eq thisYear
Artikel ohne Bewegung => Products without StockMovements ProductId
Artikel, die nie nach Wien verkauft wurden => refused
welche Artikel sind unter dem Meldebestand? => Products where OnHand lt @ReorderLevel
Aufträge, deren Kosten höher als der Umsatz sind => Orders where Cost gt @Total
Aufträge nach Fälligkeitsdatum => Orders by DueOn:day get count
Kunden mit mehr als 3 Aufträgen => Orders by CustomerId get count having count gt 3
Auftragssumme letztes Jahr => Orders where OrderedAt eq lastYear get sum Total
meistverkaufter Artikel => OrderLines by ProductId get sum Quantity sort sum_Quantity desc top 1
Aufträge mit Rabatt => OrderLines where Discount gt 0 by OrderId get count
Aufträge, die von mir angelegt wurden => Orders where CreatedBy eq 2
von ana geänderte Aufträge => refused
Umsatz ohne stornierte Aufträge => Orders where Status ne cancelled get sum Total
Umsatz nach Status im letzten Jahr => Orders where OrderedAt eq lastYear by Status get sum Total
Kunden ohne Aufträge => Customers without Orders CustomerId
Wie viele Kunden ohne stornierte Aufträge? => Customers without Orders CustomerId Status eq cancelled get count
Umsatz in Wien => Orders where CustomerId.CityId eq 3 get sum Total
Aufträge von Hase => refused
Kunden in Österreich => Customers where CountryCode eq AT
Aufträge in Vienna => Orders where CustomerId.CityId eq 3
Kunden in Malmoe => Customers where CityId eq 26
Aufträge nach Wien => Orders where CustomerId.CityId eq 3
Kunden in Mondland => refused
northwind keeper en
customers in Austria => CustomerList where Country eq Österreich
customers in the United Kingdom => CustomerList where Country eq UK
suppliers from Gothenburg => SupplierList where City eq Göteborg
orders shipped after the required date => OrderList where ShippedDate gt @RequiredDate
how many orders were shipped later than required in 1997? => OrderList where ShippedDate gt @RequiredDate & ShippedDate ge 1997-01-01 & ShippedDate le 1997-12-31 get count
orders not shipped after the required date => refused
employees with orders => OrderList where EmployeeID isNotNull by EmployeeID get count
customers who never ordered anything => CustomerList without OrderList CustomerID
products never ordered => ProductList without OrderDetailList ProductID
sakila keeper en
films never rented => Films without Rentals inventory_id.film_id
customers who rented nothing in 2005 => Customers without Rentals customer_id rental_date ge 2005-01-01T00:00:00Z & rental_date lt 2006-01-01T00:00:00Z
northwind keeper en
suppliers from Goeteborg => SupplierList where City eq Göteborg`

test('each word counts: conditions on groups, sales, names that are words, refusals', async () => {
  const verdicts = await ask(SEAMS, 60)
  const missed = verdicts.flatMap(({ asked, outcome, shown }) =>
    outcome === 'right' ? [] : [`${asked.question}: ${outcome}: ${shown}`],
  )
  expect(missed).toEqual([])
})

const WHOLE: readonly (readonly [question: string, language: string])[] = [
  ['what is the phone number of Stonebow Gardens & Co', 'en'],
  ['what is the email of Stonebow Gardens & Co', 'en'],
  ['phone of Stonebow Gardens', 'en'],
  ['email of Stonebow Gardens & Co', 'en'],
  ['E-Mail von Stonebow Gardens & Co', 'de'],
  ['screws under 5 euros', 'en'],
  ['Screws unter 5 Euro', 'de'],
  ['the 10 most expensive products', 'en'],
  ['which region sold most in 2025?', 'en'],
  ['cancelled orders in Coast', 'en'],
  ['wie ist das Telefon von "Stonebow Gardens & Co"', 'de'],
  ['bitte Umsatz nach Gebiet', 'de'],
  ['die 3 teuersten Artikel', 'de'],
]

/** Each behind each other one, by how far they are apart: a sample has every one on either side. */
const PAIRS = WHOLE.slice(1).flatMap((_, apart) =>
  WHOLE.map((whole, at) => [whole, WHOLE[(at + apart + 1) % WHOLE.length] ?? whole] as const),
)

test('a whole question is answered alike behind other ones', async () => {
  const app = applications.of('demo')
  const requestOf = async ([Question, language]: (typeof WHOLE)[number], Before: string[]) => {
    const told = await app.fetch<Refusal & { data?: { Request: unknown } }>(
      '/api/v1/svc/assistant/query',
      {
        as: 'ana',
        headers: { 'Accept-Language': language },
        body: { Question, Before },
      },
    )
    return told.body.data?.Request ?? told.body.error
  }
  const alone = new Map<(typeof WHOLE)[number], Awaited<ReturnType<typeof requestOf>>>()
  for (const whole of WHOLE) {
    const told = await requestOf(whole, [])
    expect(told).toHaveProperty('ObjectName')
    alone.set(whole, told)
  }
  for (const [whole, [before]] of sampleCases(PAIRS, 2 * WHOLE.length)) {
    const told = await requestOf(whole, [before])
    expect({ whole, before, told }).toEqual({ whole, before, told: alone.get(whole) ?? {} })
  }
})
