export { type SqliteDatabase, sqliteValues } from "./databases/sqlite-values.js";
