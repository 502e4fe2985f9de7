CREATE TABLE suppliers (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(80) NOT NULL, town VARCHAR(40) NOT NULL);
INSERT INTO suppliers VALUES
  (1, 'Nordlys Lamps', 'Bergen'),
  (2, 'Almeida Ceramics', 'Porto'),
  (3, 'Kowal and Daughters', 'Gdansk');
CREATE TABLE products (
  id INTEGER NOT NULL PRIMARY KEY,
  name VARCHAR(80) NOT NULL,
  price DECIMAL(8, 2) NOT NULL,
  stock INTEGER NOT NULL,
  supplier INTEGER NOT NULL REFERENCES suppliers (id)
);
INSERT INTO products VALUES
  (1, 'Desk lamp', 34.5, 12, 1),
  (2, 'Floor lamp', 89, 3, 1),
  (3, 'Soup bowl', 11.25, 40, 2),
  (4, 'Teapot', 27.9, 7, 2),
  (5, 'Oak stool', 64, 5, 3),
  (6, 'Bread board', 18.75, 0, 3),
  (7, 'Reading lamp', 41.2, 9, 1),
  (8, 'Salad bowl', 22.4, 15, 2);
CREATE TABLE orders (
  id INTEGER NOT NULL PRIMARY KEY,
  customer VARCHAR(80) NOT NULL,
  product INTEGER NOT NULL REFERENCES products (id),
  pieces INTEGER NOT NULL,
  state VARCHAR(20) NOT NULL
);
INSERT INTO orders VALUES
  (1, 'Ida Holm', 3, 6, 'sent'),
  (2, 'Jonas Lind', 5, 2, 'open'),
  (3, 'Ida Holm', 7, 1, 'open'),
  (4, 'Mara Vidal', 2, 1, 'returned'),
  (5, 'Omar Haddad', 8, 4, 'sent');
