/**
 * The shape of Northwind: names with blanks, keys of letters and of pairs, pictures, days and times
 * in one column, a tree of employees, a view.
 */
import { insertRows } from './sources.ts'

const TABLES = `
CREATE TABLE [Categories] (
  [CategoryID] INTEGER PRIMARY KEY AUTOINCREMENT, [CategoryName] TEXT, [Description] TEXT, [Picture] BLOB);
CREATE TABLE [CustomerCustomerDemo] (
  [CustomerID] TEXT NOT NULL, [CustomerTypeID] TEXT NOT NULL, PRIMARY KEY ("CustomerID","CustomerTypeID"),
  FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID]),
  FOREIGN KEY ([CustomerTypeID]) REFERENCES [CustomerDemographics] ([CustomerTypeID]));
CREATE TABLE [CustomerDemographics] (
  [CustomerTypeID] TEXT NOT NULL, [CustomerDesc] TEXT, PRIMARY KEY ("CustomerTypeID"));
CREATE TABLE [Customers] (
  [CustomerID] TEXT, [CompanyName] TEXT, [ContactName] TEXT, [Country] TEXT, PRIMARY KEY (\`CustomerID\`));
CREATE TABLE [Employees] (
  [EmployeeID] INTEGER PRIMARY KEY AUTOINCREMENT, [LastName] TEXT, [FirstName] TEXT, [Title] TEXT,
  [BirthDate] DATE, [Photo] BLOB, [ReportsTo] INTEGER,
  FOREIGN KEY ([ReportsTo]) REFERENCES [Employees] ([EmployeeID]));
CREATE TABLE [Order Details] (
  [OrderID] INTEGER NOT NULL, [ProductID] INTEGER NOT NULL, [Unit Price] NUMERIC NOT NULL DEFAULT 0,
  [Quantity] INTEGER NOT NULL DEFAULT 1, [Discount %] REAL NOT NULL DEFAULT 0,
  PRIMARY KEY ("OrderID","ProductID"),
  CHECK ([Discount %]>=(0) AND [Discount %]<=(1)), CHECK ([Quantity]>(0)),
  FOREIGN KEY ([OrderID]) REFERENCES [Orders] ([OrderID]),
  FOREIGN KEY ([ProductID]) REFERENCES [Products] ([ProductID]));
CREATE TABLE [Orders] (
  [OrderID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [CustomerID] TEXT, [EmployeeID] INTEGER,
  [OrderDate] DATETIME, [ShippedDate] DATETIME, [Freight] NUMERIC DEFAULT 0, [ShipName] TEXT,
  [ShipCity] TEXT, [ShipCountry] TEXT,
  FOREIGN KEY ([EmployeeID]) REFERENCES [Employees] ([EmployeeID]),
  FOREIGN KEY ([CustomerID]) REFERENCES [Customers] ([CustomerID]));
CREATE TABLE [Products] (
  [ProductID] INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, [ProductName] TEXT NOT NULL,
  [CategoryID] INTEGER, [UnitPrice] NUMERIC DEFAULT 0, [UnitsInStock] INTEGER DEFAULT 0,
  [Discontinued] BIT NOT NULL DEFAULT '0', CHECK ([UnitPrice]>=(0)),
  FOREIGN KEY ([CategoryID]) REFERENCES [Categories] ([CategoryID]));
CREATE VIEW [Alphabetical list of products] AS
  SELECT Products.*, Categories.CategoryName FROM Categories
  INNER JOIN Products ON Categories.CategoryID = Products.CategoryID WHERE Discontinued = 0;
`

/** How many rows each table has. */
export const NORTHWIND_ROWS: Readonly<Record<string, number>> = {
  Categories: 3,
  CustomerCustomerDemo: 3,
  CustomerDemographics: 2,
  Customers: 3,
  Employees: 4,
  'Order Details': 12,
  Orders: 6,
  Products: 5,
}

const CUSTOMERS = ['ALFKI', 'ANATR', 'BERGS'] as const

/** The statements that make it; the last orders were deleted, and their numbers are used up. */
export const NORTHWIND_SQL = [
  TABLES,
  insertRows('Categories', 3, (at) => [
    ...[at, `Category ${at}`, 'Sweet & salty', at === 3 ? null : "x'151c2f00020000000d000e0014'"],
  ]),
  insertRows('CustomerDemographics', 2, (at) => [`T${at}`, `Type ${at}`]),
  insertRows('Customers', 3, (at) => [
    ...[CUSTOMERS[at - 1] ?? '', `Company ${at}`, `Contact ${at}`, 'Sweden'],
  ]),
  insertRows('CustomerCustomerDemo', 3, (at) => [CUSTOMERS[at - 1] ?? '', `T${1 + (at % 2)}`]),
  insertRows('Employees', 4, (at) => [
    ...[at, `Last${at}`, `First${at}`, 'Sales', `195${at}-09-19`, null, at === 1 ? null : 1],
  ]),
  insertRows('Products', 5, (at) => [at, `Product ${at}`, 1 + (at % 3), at * 4.5, at * 10, at % 2]),
  insertRows('Orders', 6, (at) => [
    ...[10247 + at, CUSTOMERS[at % 3] ?? null, 1 + (at % 4)],
    ...[
      `1996-07-0${at}`,
      at === 6 ? null : `1996-07-1${at} 13:30:00`,
      at * 3.25,
      `Ship ${at}`,
      'Luleå',
      'Sweden',
    ],
  ]),
  insertRows('[Order Details]', 12, (at) => [
    ...[10247 + Math.ceil(at / 2), 1 + (at % 5), at * 1.5, at, at % 2 === 0 ? 0.15 : 0],
  ]),
  `INSERT INTO Orders (OrderID) VALUES (11077); DELETE FROM Orders WHERE OrderID = 11077;`,
].join('\n')
