import { describe, expect, test } from 'bun:test'
import { findNearest, toKebabCase, toWords } from '../../src/model/names.ts'

describe('names', () => {
  test.each([
    ['Orders', 'orders', 'Orders'],
    ['OrderLines', 'order-lines', 'Order lines'],
    ['CustomerId', 'customer-id', 'Customer'],
    ['Id', 'id', 'Id'],
    ['VATNumber', 'vat-number', 'VAT number'],
    ['HTTPServer2', 'http-server2', 'HTTP server2'],
    ['created_at', 'created-at', 'Created at'],
    ['x', 'x', 'X'],
  ])('%s is %s and "%s"', (name, slug, label) => {
    expect(toKebabCase(name)).toBe(slug)
    expect(toWords(name)).toBe(label)
  })

  test.each([
    ['costumer', 'Customer'],
    ['CUSTOMER', 'Customer'],
    ['Ordr', 'Order'],
    ['Odrer', 'Order'],
    ['Invoice', undefined],
  ])('the nearest to %s is %s', (name, nearest) => {
    expect(findNearest(name, ['Customer', 'Order', 'OrderLine'])).toBe(nearest)
  })
})
