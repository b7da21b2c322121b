import { DataList } from "@mantine/core";
import type { ReactNode } from "react";

/** A name and a value of a data list. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <DataList.Item>
      <DataList.ItemLabel>{name}</DataList.ItemLabel>
      <DataList.ItemValue>{children}</DataList.ItemValue>
    </DataList.Item>
  );
}
