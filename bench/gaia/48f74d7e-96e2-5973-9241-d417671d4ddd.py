def is_leap(year):
    if year % 4 == 0 and year % 100 != 0:
        return True
    return False


count = 0
for year in range(1658, 2184):
    if is_leap(year):
        count += 1
print(count)
